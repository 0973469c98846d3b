import { until } from '../../../test-kit/until.ts'
import { visit } from '../../../test-kit/visit.ts'
import { page } from './client.ts'
import type { TlsLoad } from './load.ts'
import type { TlsWorld } from './world.ts'

// What goes on at an instance while visitors come: each of these is many calls of the API, as people make them.

export type Place = { world: TlsWorld; load: TlsLoad; project: string }

const AT_ONCE = 4

/** Names that lead here and have no certificate: each is visited from its first answer on. */
export async function issueAll({ world, load, project }: Place, hosts: string[], seconds: number): Promise<void> {
  for (const host of hosts) await world.ca.dns.set(host, { a: [world.here] })
  await each(hosts, (host) => world.site.ask('POST', `/api/projects/${project}/domains`, { host }))
  const waiting = new Set(hosts)
  await until(`${hosts.length} certificates`, seconds * 1000, async () => {
    for (const { host, live, certificate } of await world.domains(project)) {
      if (!waiting.has(host) || !live || certificate?.state !== 'valid') continue
      // It is written down that a name leads here before the edge hears of it.
      await until(`${host} answers`, 5_000, async () => (await page(world.door, host)).status === 200)
      waiting.delete(host)
      await load.also(host)
    }
    await pause()
    return waiting.size === 0
  }).catch(async (error: Error) => {
    const left = (await world.domains(project)).filter(({ host }) => waiting.has(host))
    throw new Error(`${error.message}: ${JSON.stringify(left.slice(0, 3))}`)
  })
}

/** Each once, whatever its age. Returns what went wrong. */
export async function renewAll({ world, load, project }: Place, hosts: string[], seconds: number): Promise<string[]> {
  const before = await serialsOf(world, project)
  const wrong: string[] = []
  await each(hosts, async (host) => {
    const { status, text } = await world.site.call('POST', '/api/deployments/ssl/renew', { domain: host, force: true })
    if (status !== 200) wrong.push(`renewing ${host}: ${status} ${text.slice(0, 300)}`)
  })
  const after = await serialsOf(world, project)
  for (const host of hosts) if (before.get(host) === after.get(host)) wrong.push(`${host} has the serial it had`)
  await until('visitors see the new certificates', seconds * 1000, async () => {
    const { serials } = await load.look()
    await pause()
    return hosts.every((host) => serials[host]?.at(-1) === after.get(host))
  }).catch((error: Error) => wrong.push(error.message))
  return wrong
}

async function serialsOf(world: TlsWorld, project: string): Promise<Map<string, string | null>> {
  const domains = await world.domains(project)
  return new Map(domains.map(({ host, certificate }) => [host, certificate?.serial ?? null]))
}

/** So many at a time: a project has at most a hundred, and those that stay are some of them. */
const WAVE = 25

/** Names without any DNS come and go, in waves; of each the edge must know all, and then none. */
export async function comeAndGo(place: Place, hosts: string[], seconds: number): Promise<void> {
  for (let first = 0; first < hosts.length; first += WAVE) await wave(place, hosts.slice(first, first + WAVE), seconds)
}

async function wave({ world, project }: Place, hosts: string[], seconds: number): Promise<void> {
  const names = `/api/projects/${project}/domains`
  const become = async (status: number) => {
    const left = new Set(hosts)
    await until(`${hosts.length} names answer ${status}`, seconds * 1000, async () => {
      for (const host of left) {
        const seen = await visit({ address: world.here, port: world.site.httpPort }, host)
        if (seen.status !== status) break
        left.delete(host)
      }
      await pause()
      return left.size === 0
    })
  }
  await each(hosts, (host) => world.site.ask('POST', names, { host }))
  await become(200)
  await each(hosts, (host) => world.site.ask('DELETE', `${names}/${host}`))
  await become(404)
}

async function each<T>(all: T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const waiting = all.values()
  const worker = async () => {
    for (const one of waiting) await work(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const pause = () => new Promise((done) => setTimeout(done, 500))
