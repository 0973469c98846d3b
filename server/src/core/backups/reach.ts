import { isIP } from 'node:net'
import { Refusal } from '../../errors.ts'
import { type Kind, kindOf } from '../domains/address-guard.ts'
import type { Platform } from '../platform.ts'

const DNS_MS = 4000

/**
 * At home backups go to machines with private addresses. Nobody keeps them where clouds hand out the credentials of their
 * machines, nor at an address that only one cable knows.
 */
const NEVER: readonly Kind[] = ['metadata', 'link-local', 'multicast', 'not an address']

/** Asked of every address at the moment of connecting: what a name led to when it was saved says nothing about now. */
export const mayConnect =
  ({ config }: Pick<Platform, 'config'>) =>
  (address: string): boolean => {
    const kind = kindOf(address)
    return kind === null || (config.mode === 'self_hosted' && !NEVER.includes(kind))
  }

/** Refuses a host that leads where this instance does not connect to. */
export async function requireReachable(
  parts: Pick<Platform, 'config' | 'dns'>,
  field: 'endpoint' | 'sshHost',
  given: string,
  signal: AbortSignal,
): Promise<void> {
  const host = hostOf(field === 'endpoint' ? given : `http://${given.includes(':') ? `[${given}]` : given}`)
  const allowed = mayConnect(parts)
  const wrong = (await addressesOf(parts, host, signal)).find((address) => !allowed(address))
  if (wrong === undefined) return
  const at = wrong === host ? host : `${host} (${wrong})`
  throw new Refusal('address_refused', `${field}: this instance does not connect to ${at}: ${kindOf(wrong)}.`, {
    field,
    hint: 'Use a host with a public address.',
  })
}

/** As a URL writes it: 127.1 and 0x7f000001 are other ways to write an address. */
function hostOf(url: string): string {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  return host.replace(/\.$/, '')
}

async function addressesOf({ config, dns }: Pick<Platform, 'config' | 'dns'>, host: string, signal: AbortSignal) {
  if (isIP(host) !== 0) return [host]
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1']
  // At home a name may be known only to a hosts file: there it is told when connecting.
  if (config.mode === 'self_hosted') return []
  const { a, aaaa } = await dns.lookup(host, { signal, deadlineMs: DNS_MS })
  return [...a, ...aaaa]
}
