import type { Vps } from '../../../lab/vps/boot.ts'
import { until } from '../../../test-kit/until.ts'
import { page } from '../tls/client.ts'
import type { Authority } from './authority.ts'

const HOST = 'slipway.example.test'

/** The platform at a name of its own: what is said at its installation, and records that lead there. */
export async function ownName(vps: Vps, authority: Authority): Promise<string[]> {
  await authority.ca.dns.set(HOST, { a: [vps.address] })
  return ['--domain', HOST]
}

/** Until a visitor reaches the platform at its name, with a certificate that is believed; the seconds that took. */
export async function reachedByName(vps: Vps, authority: Authority): Promise<number> {
  const began = performance.now()
  const door = { address: vps.address, port: 443, ca: authority.issuing }
  await until('the platform answers at its own name', 120_000, () =>
    page(door, HOST, '/healthz').then(
      ({ status, text }) => status === 200 && JSON.parse(text).ok === true,
      () => undefined,
    ),
  )
  return (performance.now() - began) / 1000
}
