import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../test-kit/until.ts'
import { handshake } from './client.ts'
import type { TlsWorld } from './world.ts'

/** What happened at the edge meanwhile, and what went wrong with it. */
export type Changes = { renewals: number; names: number; wrong: string[] }

/** A CA gives only so many an hour. */
const EVERY_MS = 20_000
const NAMES = ['one', 'two', 'three'].map((word) => `${word}.example.test`)

/** Names get certificates and have them renewed, others come and go: one change after the other, until it is stopped. */
export async function keepChanging(world: TlsWorld, project: string) {
  const path = `/api/projects/${project}/domains`
  for (const host of NAMES) {
    await world.ca.dns.set(host, { a: [world.here] })
    await world.site.ask('POST', path, { host })
  }
  await until('certificates', 60_000, async () => {
    const known = await world.domains(project)
    return NAMES.every((host) => known.find((one) => one.host === host)?.certificate?.state === 'valid')
  })
  const changes: Changes = { renewals: 0, names: 0, wrong: [] }
  const stopped = new AbortController()
  const going = (async () => {
    for (let n = 0; !stopped.signal.aborted; n++) {
      await changed(world, path, n, changes).catch((error: Error) => changes.wrong.push(error.message))
      await sleep(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => {})
    }
  })()
  return async (): Promise<Changes> => {
    stopped.abort()
    await going
    return changes
  }
}

/** A renewal whose serial visitors see, then a name that comes and goes. */
async function changed({ site, door }: TlsWorld, path: string, n: number, changes: Changes): Promise<void> {
  const domain = NAMES[n % NAMES.length] ?? ''
  const before = await handshake(door, domain)
  await site.ask('POST', '/api/deployments/ssl/renew', { domain, force: true })
  await until(
    `another certificate of ${domain}`,
    30_000,
    async () => (await handshake(door, domain)).serial !== before.serial,
  )
  changes.renewals++
  const passing = `passing-${n}.example.test`
  await site.ask('POST', path, { host: passing })
  await site.ask('DELETE', `${path}/${passing}`)
  changes.names++
}
