import { Resolver } from 'node:dns/promises'
import { existsSync, statfsSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import { tried } from '../argv.ts'
import { readText } from '../files.ts'

export type System = {
  root: boolean
  host: string
  /** `debian 13`, as /etc/os-release has them. */
  os: { id: string; version: string; name: string }
  systemd: boolean
  architecture: string
  memoryMb: number
  swapMb: number
  freeGb: number
  addresses: string[]
  /** Whether who is asked for names answers at all: where nobody does, each question waits for it. */
  namesAnswered: boolean
  /** Whether the clock follows others; null: nobody can say. */
  clockInSync: boolean | null
  ufw: boolean
}

export async function lookAtSystem(): Promise<System> {
  const memory = readText('/proc/meminfo') ?? ''
  const megabytes = (field: string) =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(memory)?.[1] ?? 0) / 1024)
  const disk = statfsSync(existsSync('/var/lib') ? '/var/lib' : '/')
  return {
    root: process.getuid?.() === 0,
    host: hostname(),
    os: readOs(readText('/etc/os-release') ?? ''),
    systemd: existsSync('/run/systemd/system'),
    architecture: process.arch,
    memoryMb: megabytes('MemTotal'),
    swapMb: megabytes('SwapTotal'),
    freeGb: Math.floor((disk.bavail * disk.bsize) / 1e9),
    addresses: Object.values(networkInterfaces())
      .flat()
      .flatMap((one) => (one && one.family === 'IPv4' && !one.internal ? [one.address] : [])),
    namesAnswered: await namesAnswered(),
    clockInSync: readSync(await tried(['timedatectl', 'show', '--property=NTPSynchronized', '--value'])),
    ufw: (await tried(['ufw', 'status']))?.startsWith('Status: active') ?? false,
  }
}

/** No answer within two seconds is none; that there is no such name is one. */
async function namesAnswered(): Promise<boolean> {
  // Without a name server the engine is told so at once.
  if (!/^nameserver/m.test(readText('/etc/resolv.conf') ?? '')) return true
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  return resolver.resolve4('slipway.invalid').then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ETIMEOUT' && code !== 'ECONNREFUSED',
  )
}

const readSync = (said: string | null) => (said === null ? null : said.trim() === 'yes')

export function readOs(text: string): System['os'] {
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(text)?.[1]
  const id = field('ID') ?? 'unknown'
  const version = field('VERSION_ID') ?? ''
  return { id, version, name: field('PRETTY_NAME') ?? `${id} ${version}`.trim() }
}
