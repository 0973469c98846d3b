import { isIP } from 'node:net'
import { Refusal } from '../../errors.ts'
import { kindOf } from '../networks/address-guard.ts'
import { mayConnect } from '../networks/may-connect.ts'
import type { BaseParts } from '../parts.ts'

const DNS_MS = 4000

/**
 * Refuses a host that leads where this instance does not connect to. What a name leads to when it is saved says nothing
 * about later: it is asked again of every address at the moment of connecting.
 */
export async function requireReachable(
  parts: Pick<BaseParts, 'config' | 'dns'>,
  field: 'endpoint' | 'sshHost',
  given: string,
  signal: AbortSignal,
): Promise<void> {
  const host = hostOf(field === 'endpoint' ? given : `http://${given.includes(':') ? `[${given}]` : given}`)
  const allowed = mayConnect(parts.config)
  const wrong = (await addressesOf(parts, host, signal)).find((address) => !allowed(address))
  if (wrong === undefined) return
  const isShown = wrong !== host && parts.config.mode === 'self_hosted'
  const at = isShown ? `${host} (${wrong})` : host
  throw new Refusal('address_refused', `${field}: this instance does not connect to ${at}: ${kindOf(wrong)}.`, {
    field,
    hint: 'Use a host with another address. Whoever runs this instance can open a network with SLIPWAY_ALLOWED_NETWORKS.',
  })
}

/** As a URL writes it: 127.1 and 0x7f000001 are other ways to write an address. */
function hostOf(url: string): string {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  return host.replace(/\.$/, '')
}

async function addressesOf({ config, dns }: Pick<BaseParts, 'config' | 'dns'>, host: string, signal: AbortSignal) {
  if (isIP(host) !== 0) return [host]
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1']
  // At home a name may be known only to a hosts file: there it is told when connecting.
  if (config.mode === 'self_hosted') return []
  const { a, aaaa } = await dns.lookup(host, { signal, deadlineMs: DNS_MS })
  return [...a, ...aaaa]
}
