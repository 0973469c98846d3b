import { randomBytes, randomInt } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { type Child, freePorts, startChild } from '../ca/child.ts'
import { packageRoot } from '../package-sets.ts'
import { needPackages } from '../parts/packages.ts'
import { lastLines } from '../run.ts'
import { toolEnv } from '../tools.ts'
import { bindSettings, knotSettings, type Served, zoneFile } from './settings.ts'

export interface NameServerOptions {
  /** Without a dot at its end. */
  zone: string
  /** Lines of the zone file, beside the usual. */
  records?: string[]
  algorithm?: 'hmac-sha256' | 'hmac-sha512'
  /** Knot is at the usual port, where the zone says that it is; BIND at another one, where only who is told finds it. */
  software?: 'knot' | 'bind'
  /** A second server (Knot) that copies the zone from the first, a little later. */
  secondary?: boolean
  /** How often it looks whether there is something new; nobody tells it. */
  refreshSeconds?: number
}

interface TsigKey {
  name: string
  algorithm: 'hmac-sha256' | 'hmac-sha512'
  /** base64 */
  secret: string
}

export interface TestNameServer {
  /** host:port, over UDP and TCP. */
  address: string
  secondary: string | null
  zone: string
  /** May change TXT records of the zone. */
  tsig: TsigKey
  /** Is known, and may change nothing. */
  stranger: TsigKey
  /** What a server says now, at first hand. */
  txt(name: string, at?: string): Promise<string[]>
  log(): string
  stopSecondary(): Promise<void>
  stop(): Promise<void>
}

/** Name servers of the caller's own, on loopback addresses of their own. They end with the process that asked for them. */
export async function startNameServer(options: NameServerOptions): Promise<TestNameServer> {
  await needPackages('dns')
  const folder = mkdtempSync(join(tmpdir(), 'slipway-dns-'))
  const forget = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', forget)
  const { listening, port, named } = await placesOf(options)
  const { zone, algorithm = 'hmac-sha256', refreshSeconds = 2 } = options
  const [tsig, stranger] = ['updater', 'stranger'].map((name) => newKey(name, algorithm)) as [TsigKey, TsigKey]
  const keys = [tsig, stranger]
  const children = listening.map((address, place) => {
    const own: Served = { address, port, named, zone, keys, primary: place === 0, refreshSeconds }
    return startOne(join(folder, address), own, options)
  })
  const stop = async () => {
    await Promise.all(children.map((child) => child.stop()))
    process.removeListener('exit', forget)
    forget()
  }
  const log = () => children.map((child) => child.printed()).join('')
  try {
    for (const [place, address] of listening.entries())
      await until(`${address}: waiting for its zone`, 60_000, () => serves(`${address}:${port}`, zone, children[place]))
  } catch (error) {
    await stop()
    throw error
  }
  const [address = '', second] = listening
  return {
    address: `${address}:${port}`,
    secondary: second === undefined ? null : `${second}:${port}`,
    zone,
    tsig,
    stranger,
    txt: (name, at = `${address}:${port}`) => textsOf(name, at),
    log,
    stopSecondary: async () => children[1]?.stop(),
    stop,
  }
}

const newKey = (name: string, algorithm: TsigKey['algorithm']): TsigKey => ({
  name,
  algorithm,
  secret: randomBytes(32).toString('base64'),
})

function startOne(folder: string, own: Served, { software = 'knot', records = [] }: NameServerOptions): Child {
  mkdirSync(folder)
  const root = packageRoot('dns')
  const settings = join(folder, 'settings')
  writeFileSync(settings, software === 'knot' ? knotSettings(folder, own) : bindSettings(folder, own))
  if (own.primary) writeFileSync(join(folder, 'zone'), zoneFile(own, records))
  // Their libraries are for themselves alone.
  const libraries = readdirSync(join(root, 'usr/lib')).filter((name) => name.endsWith('-linux-gnu'))
  const env = toolEnv({ LD_LIBRARY_PATH: libraries.map((name) => join(root, 'usr/lib', name)).join(':') })
  const program = (name: string) => join(root, 'usr/sbin', name)
  if (software === 'knot') return startChild([program('knotd'), '-c', settings], env)
  return startChild([program('named'), '-g', '-n', '1', '-c', settings], env)
}

type Places = { listening: string[]; port: number; named: string[] }

/** BIND listens only where the machine says that it has an address: not where the zone says that it is. */
async function placesOf({ software, secondary }: NameServerOptions): Promise<Places> {
  const base = `127.${randomInt(16, 250)}.${randomInt(250)}`
  const named = [`${base}.1`, ...(secondary ? [`${base}.2`] : [])]
  if (software !== 'bind') return { listening: named, port: 53, named }
  const [port = 0] = await freePorts(1)
  return { listening: ['127.0.0.1'], port, named }
}

async function serves(server: string, zone: string, child: Child | undefined): Promise<true | undefined> {
  if (child && child.process.exitCode !== null)
    throw new Error(`the name server did not start:\n${lastLines(child.printed(), 8)}`)
  return resolverAt(server)
    .resolveSoa(zone)
    .then(
      () => true as const,
      () => undefined,
    )
}

function resolverAt(server: string): Resolver {
  const resolver = new Resolver({ timeout: 1000, tries: 2 })
  resolver.setServers([server])
  return resolver
}

async function textsOf(name: string, server: string): Promise<string[]> {
  const found = await resolverAt(server)
    .resolveTxt(name)
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return []
      throw error
    })
  return found.map((parts) => parts.join(''))
}
