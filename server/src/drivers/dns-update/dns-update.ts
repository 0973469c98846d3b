import { DriverFailure } from '../../errors.ts'
/** Proves that a name is ours by TXT records that come and go (ACME's dns-01). */
export interface DnsChallenges {
  /** Adds one value beside those that are there, and returns when the zone's name servers show it. Twice is as good as once. */
  put(name: string, value: string, limits: { signal: AbortSignal }): Promise<void>
  /** Takes away this value and no other. One that is not there is as good as gone. */
  remove(name: string, value: string, limits: { signal: AbortSignal }): Promise<void>
}

export type DnsUpdateFailureCode =
  | 'dns_unreachable'
  | 'dns_timeout'
  | 'key_refused'
  | 'clock_wrong'
  | 'update_refused'
  | 'zone_missing'
  | 'not_visible'
  | 'dns_failed'

/** What a name server did not do. The message names server, key and name, never the key's secret. */
export type DnsUpdateFailure = DriverFailure<'dns-update', DnsUpdateFailureCode>

export const dnsUpdateFailure = (code: DnsUpdateFailureCode, message: string, cause?: unknown): DnsUpdateFailure =>
  new DriverFailure('dns-update', code, message, { hint: hints[code], cause })

const hints: Record<DnsUpdateFailureCode, string> = {
  dns_unreachable: 'Check the address of the name server, and that it can be reached from here over TCP.',
  dns_timeout: 'Check the address of the name server; a firewall that drops packets looks exactly like this.',
  key_refused:
    'Compare the name, the algorithm and the secret of the key with those on the name server, and whether it may use the key for this zone.',
  clock_wrong: 'Set the clocks: of this machine, or of the name server. They may differ by five minutes.',
  update_refused: 'Allow the key to change TXT records of this zone, on the name server.',
  zone_missing:
    'Name the server that holds the zone, or let a CNAME at this name lead to a name in a zone that it holds.',
  not_visible: 'Check that the secondary name servers of the zone copy it from the one that takes the changes.',
  dns_failed: 'The log of the name server says more.',
}
