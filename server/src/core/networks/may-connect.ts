import { BlockList, isIPv4 } from 'node:net'
import type { Config } from '../../config.ts'
import { type Kind, kindOf } from './address-guard.ts'

/**
 * At home git hosts, servers and storage have private addresses. What listens on loopback trusts whoever comes from there,
 * and at link-local and metadata addresses clouds hand out the credentials of their machines: nobody keeps a repository
 * or a backup there.
 */
const AT_HOME: ReadonlySet<Kind> = new Set<Kind>(['private', 'shared', 'reserved'])

/**
 * SSRF guard for every connection to a host that a user names: git, servers, backup destinations. Asked with the resolved
 * address at the moment of connecting. What the operator names in SLIPWAY_ALLOWED_NETWORKS is open in any case.
 */
export function mayConnect(config: Pick<Config, 'mode' | 'allowedNetworks'>) {
  const named = isNamed(config)
  return (address: string): boolean => {
    const kind = kindOf(address)
    if (kind === null) return true
    if (kind === 'not an address') return false
    return (config.mode === 'self_hosted' && AT_HOME.has(kind)) || named(address)
  }
}

/** What the operator himself has named: there, and nowhere else, a password may travel without TLS. */
export function isNamed({ allowedNetworks }: Pick<Config, 'allowedNetworks'>) {
  const opened = new BlockList()
  for (const network of allowedNetworks) {
    const [address = '', bits] = network.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    opened.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  return (address: string): boolean =>
    kindOf(address) !== 'not an address' && opened.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}
