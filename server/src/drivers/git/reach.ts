import { ADDRCONFIG } from 'node:dns'
import { lookup as resolve } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { MayConnect } from '../ssh/lookup.ts'
import { gitFailure } from './git.ts'
import type { Place } from './source.ts'

/** All addresses of a name, as git itself would find them. */
export type Lookup = (host: string) => Promise<string[]>

/** Where git goes and nowhere else: what the name leads to a moment later is not asked (DNS rebinding). */
export type Reached = {
  /** For `http.curloptResolve`: host, port and addresses. None where the host is an address itself. */
  resolve: string | null
  /** For `HostName` of ssh. */
  address: string
}

const LOOKUP_MS = 15_000

/** Looks the host of a source up once and judges what it leads to. */
export async function reach(
  { host, port }: Place,
  { mayConnect, lookup = systemLookup }: { mayConnect: MayConnect; lookup?: Lookup | undefined },
  signal: AbortSignal,
): Promise<Reached> {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  const found = isIP(bare) === 0 ? await inTime(lookup(bare), bare, signal) : [bare]
  const allowed = found.filter(mayConnect)
  const [address] = allowed
  if (address === undefined) {
    throw gitFailure('git_address_refused', `${bare} leads to an address that this instance does not connect to.`)
  }
  const pinned = allowed.map((one) => (one.includes(':') ? `[${one}]` : one)).join(',')
  return { address, resolve: isIP(bare) === 0 ? `${bare}:${port}:${pinned}` : null }
}

/** IPv4 first: ssh gets one address, and not every machine that has IPv6 is reached by it. */
const systemLookup: Lookup = async (host) =>
  (await resolve(host, { all: true, order: 'ipv4first', hints: ADDRCONFIG })).map(({ address }) => address)

async function inTime(found: Promise<string[]>, host: string, signal: AbortSignal): Promise<string[]> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_MS)])
  const late = new Promise<never>((_, fail) =>
    ended.addEventListener('abort', () => fail(ended.reason), { once: true }),
  )
  try {
    return await Promise.race([found, late])
  } catch (error) {
    signal.throwIfAborted()
    throw gitFailure('git_unreachable', `The host name ${host} could not be resolved.`, error)
  }
}
