import { BlockList, isIP, isIPv4 } from 'node:net'
import type { Mode } from '@slipway/contract/endpoint'

/** SSRF: where nobody on the internet lives, and what lives there instead. */
export type Kind =
  | 'unspecified'
  | 'loopback'
  | 'link-local'
  | 'private'
  | 'shared'
  | 'metadata'
  | 'multicast'
  | 'reserved'
  | 'not an address'

const SPECIAL: [network: string, bits: number, kind: Kind][] = [
  // Where clouds hand out the credentials of their machines, beside 169.254.169.254.
  ['100.100.100.200', 32, 'metadata'],
  ['168.63.129.16', 32, 'metadata'],
  ['fd00:ec2::254', 128, 'metadata'],
  ['0.0.0.0', 8, 'unspecified'],
  ['10.0.0.0', 8, 'private'],
  // Of carriers, and of private networks laid over the internet.
  ['100.64.0.0', 10, 'shared'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'reserved'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
  ['::', 128, 'unspecified'],
  ['::1', 128, 'loopback'],
  // 2001::/23 has Teredo and benchmarks in it, 2002::/16 is 6to4: both carry IPv4 addresses that are easily overlooked.
  ['2001::', 23, 'reserved'],
  ['2001:db8::', 32, 'reserved'],
  ['2002::', 16, 'reserved'],
  ['3fff::', 20, 'reserved'],
  ['fc00::', 7, 'private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'private'],
  ['ff00::', 8, 'multicast'],
]
const family = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6')
const special = SPECIAL.map(([network, bits, kind]) => ({ kind, has: among((list) => subnet(list, network, bits)) }))

/** Everything that was ever given out of IPv6; what lies elsewhere is not on the internet. */
const given = among((list) => subnet(list, '2000::', 3))
/** IPv6 that stands for IPv4: written so, or translated on the way (NAT64). The last 32 bits are the address. */
const mapped = among((list) => subnet(list, '::ffff:0:0', 96))
const translated = among((list) => subnet(list, '64:ff9b::', 96))

/** To those who share an instance with others, only that an address is not of the internet: the network inside is not their business. */
export const shownTo = (mode: Mode, address: string) => (mode === 'cloud' ? (kindOf(address) ?? address) : address)

/** null: an address of the internet. Otherwise what it is. */
export function kindOf(address: string): Kind | null {
  // A zone (fe80::1%eth0) names an interface of this machine.
  if (isIP(address) === 0 || address.includes('%')) return 'not an address'
  if (isIPv4(address)) return kindIn(address)
  if (mapped(address) || translated(address)) return kindIn(lastFour(address))
  return kindIn(address) ?? (given(address) ? null : 'reserved')
}

const kindIn = (address: string) => special.find(({ has }) => has(address))?.kind ?? null

/** Whether one of these addresses is meant, however it is written. */
export function addressSet(addresses: Iterable<string>): (address: string) => boolean {
  const known = [...addresses].filter((address) => isIP(address) !== 0 && !address.includes('%'))
  return among((list) => {
    for (const address of known) list.addAddress(address, family(address))
  })
}

function among(fill: (list: BlockList) => void): (address: string) => boolean {
  const list = new BlockList()
  fill(list)
  return (address) => isIP(address) !== 0 && list.check(address, family(address))
}

function subnet(list: BlockList, network: string, bits: number): void {
  list.addSubnet(network, bits, family(network))
}

/** The IPv4 address at the end of an IPv6 one, which may be written in any of its ways. */
function lastFour(address: string): string {
  // A URL writes every IPv6 address in one way, with hexadecimal groups to the end.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':')
  const [high, low] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16)) as [number, number]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
