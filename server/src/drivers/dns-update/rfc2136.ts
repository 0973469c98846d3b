import { askSigned, newId, type Target } from './ask.ts'
import { type DnsChallenges, type DnsUpdateFailure, dnsUpdateFailure } from './dns-update.ts'
import { type Limits, serverOf, spell } from './exchange.ts'
import { locate, type Place } from './locate.ts'
import type { TsigKey } from './tsig.ts'
import { untilVisible } from './visible.ts'
import { CODE, update } from './wire.ts'

export type Rfc2136Options = {
  /** The server that takes the changes: `host`, `host:port`, `[address]:port`. */
  server: string
  tsig: TsigKey
  /** Name servers for what the server itself does not know, as `address` or `address:port`; null: the machine's own. */
  resolvers?: string[] | null
  /** How long the name servers of the zone may take to show a value. */
  visibleMs?: number
  /** For each question. */
  deadlineMs?: number
  now?: () => Date
}

/** Long enough to be looked at, and soon forgotten. */
const TTL_SECONDS = 60
const VISIBLE_MS = 90_000
const DEADLINE_MS = 10_000

/** Any name server that takes dynamic updates (RFC 2136) signed with a shared key (RFC 8945): BIND, Knot, PowerDNS, … */
export function rfc2136(options: Rfc2136Options): DnsChallenges {
  const { resolvers = null, visibleMs = VISIBLE_MS, deadlineMs = DEADLINE_MS, now = () => new Date() } = options
  const target: Target = { server: serverOf(options.server), key: options.tsig, now }
  const change = async (name: string, value: string, ttl: number | 'gone', limits: Limits): Promise<Place> => {
    const place = await locate(target, name, resolvers, limits)
    const { code } = await askSigned(target, update(newId(), { ...place, value, ttl }), limits)
    if (code !== CODE.ok) throw notChanged(target, place, code)
    return place
  }
  return {
    async put(name, value, { signal }) {
      const limits = { signal, deadlineMs }
      const place = await change(name, value, TTL_SECONDS, limits)
      await untilVisible(target, { place, value, resolvers, visibleMs }, limits)
    },
    async remove(name, value, { signal }) {
      await change(name, value, 'gone', { signal, deadlineMs })
    },
  }
}

function notChanged({ server, key }: Target, { name, zone }: Place, code: number): DnsUpdateFailure {
  const at = spell(server)
  if (code === CODE.refused || code === CODE.notAuth)
    return dnsUpdateFailure('update_refused', `The name server ${at} does not let the key ${key.name} change ${name}.`)
  if (code === CODE.unknown) return dnsUpdateFailure('update_refused', `The name server ${at} takes no changes at all.`)
  if (code === CODE.notZone)
    return dnsUpdateFailure('zone_missing', `The name server ${at} says that ${name} is not in its zone ${zone}.`)
  return dnsUpdateFailure('dns_failed', `The name server ${at} answered with the error ${code} to a change of ${name}.`)
}
