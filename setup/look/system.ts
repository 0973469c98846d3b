import { existsSync, statfsSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
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
  /** Whether programs here can look names up: without an answer each rollout would wait for it. */
  nameServers: string[]
}

export function lookAtSystem(): System {
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
    nameServers: [...(readText('/etc/resolv.conf') ?? '').matchAll(/^nameserver\s+(\S+)/gm)].map(([, one = '']) => one),
  }
}

export function readOs(text: string): System['os'] {
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(text)?.[1]
  const id = field('ID') ?? 'unknown'
  const version = field('VERSION_ID') ?? ''
  return { id, version, name: field('PRETTY_NAME') ?? `${id} ${version}`.trim() }
}
