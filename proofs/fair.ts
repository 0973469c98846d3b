import { loadavg } from 'node:os'
import { labPart } from '../lab/ask.ts'
import type { TestDatabase } from '../test-kit/database.ts'
import { cleared } from '../test-kit/engine.ts'
import { content, sendFolder } from '../test-kit/send-folder.ts'
import { until } from '../test-kit/until.ts'
import { visit } from '../test-kit/visit.ts'
import { size } from './ledger/sizes.ts'
import { openReference } from './parts/fair/reference.ts'
import { openTenant, type Tenant } from './parts/fair/tenant.ts'
import { countOrders, countRuns, endsTomorrow, newestRun, waitOf } from './parts/fair/waits.ts'
import { openTlsWorld, type TlsWorld } from './parts/tls/world.ts'

export const claim =
  'Whatever one organization asks for, another deploys as promptly as ever, goes back within seconds, and keeps its certificates.'
export const kind = 'figure'
export const quick = false

const RUNS = size('SLIPWAY_FAIR_RUNS', 200)
const NAMES = size('SLIPWAY_FAIR_NAMES', 400)
const TIMES = size('SLIPWAY_FAIR_TIMES', 5)
const NAMES_PER_PROJECT = 40

/** A wait is noise while it is shorter than this: a poll, a busy processor. */
const FLOOR_MS = 1000
const MOST_RATIO = 2
const URGENT_MS = 5000
const RENEW_MS = 60_000
const HOST = 'shop.quiet.example'

type Reference = Awaited<ReturnType<typeof openReference>>
type Ground = {
  world: TlsWorld
  reference: Reference
  db: TestDatabase
  loud: Tenant
  quiet: Tenant
  other: Tenant
}

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const world = await openTlsWorld({ name: 'fair' })
  const reference = await openReference()
  try {
    for (const role of ['worker', 'worker', 'api'] as const) await world.start({ role })
    const ground = await openGround(world, reference)
    const idle = await quietDays(ground)
    await flood(ground)
    const busy = await troubledDays(ground, idle.projects)
    return verdict(idle, busy)
  } finally {
    await reference.close()
    await takeAway(world)
  }
}

async function openGround(world: TlsWorld, reference: Reference): Promise<Ground> {
  const { site } = world
  const [loud, quiet, other] = [
    await openTenant(site, 'loud@example.com', 'engine'),
    await openTenant(site, 'quiet@example.com', 'host1'),
    await openTenant(site, 'other@example.com', 'host2'),
  ]
  return { world, reference, db: site.database as TestDatabase, loud, quiet, other }
}

/** How long a deployment took to begin, and what one of an idle instance took at the same moment. */
type Wait = { ms: number; machine: number }
type Projects = { shop: string; back: { id: string; releases: string[] }; gone: { id: string; release: string } }

/** Each of them alone: what a wait is like, and what the others will want later. */
async function quietDays(ground: Ground): Promise<{ waits: Wait[]; rollbacks: Rollback[]; projects: Projects }> {
  const { world, quiet, other } = ground
  const shop = await quiet.project('shop')
  const waits: Wait[] = []
  // The first one also makes the edge, and warms up both sides.
  for (let n = 0; n <= TIMES; n++) {
    const wait = await deployed(ground, quiet, shop, n % 2 === 0 ? '/etc' : '/bin')
    if (n > 0) waits.push(wait)
  }
  const back = await other.project('back')
  const releases: string[] = []
  for (const folder of ['/etc', '/bin']) {
    const id = await other.deploy(back, folder)
    await isReady(other, id)
    releases.push(id)
  }
  const rollbacks: Rollback[] = []
  for (const target of releases) rollbacks.push(await wentBack(ground, back, target))
  const gone = await other.project('gone')
  const release = await other.deploy(gone, '/etc')
  await isReady(other, release)
  await world.ca.dns.set(HOST, { a: [quiet.address] })
  await quiet.ask('POST', `/api/projects/${shop}/domains`, { host: HOST })
  await until('the certificate is there', 60_000, async () => (await serialOf(quiet, shop)) ?? undefined)
  console.log(`  alone: ${TIMES} deployments began after ${listed(waits)} s; a certificate is there`)
  const [first = '', second = ''] = releases
  return {
    waits,
    rollbacks,
    projects: { shop, back: { id: back, releases: [first, second] }, gone: { id: gone, release } },
  }
}

async function deployed({ db, reference }: Ground, tenant: Tenant, project: string, folder: string): Promise<Wait> {
  const machine = reference.wait()
  const id = await tenant.deploy(project, folder)
  const ms = await waitOf(db, id)
  await isReady(tenant, id)
  return { ms, machine: await machine }
}

async function isReady(tenant: Tenant, id: string): Promise<void> {
  const { status, error } = await tenant.ended(id)
  if (status !== 'ready') throw new Error(`${id} is ${status}: ${JSON.stringify(error)}`)
}

const serialOf = async (tenant: Tenant, project: string): Promise<string | null> =>
  (await tenant.domain(project, HOST))?.certificate?.serial ?? null

/** One job of an hour in each, and names that all lead here. */
const STACK = `
services:
  work: { image: "busybox:1", command: ["sleep", "3600"], restart: "no" }
  web:
    image: busybox:1
    command: ["httpd", "-f", "-p", "8080"]
    expose: ["8080"]
    depends_on: { work: { condition: service_completed_successfully } }
`

/** Goes on for as long as the proof: most of it is still waiting when the others come. */
async function flood({ world, db, loud }: Ground): Promise<void> {
  const live = await inParallel(Math.ceil(NAMES / NAMES_PER_PROJECT), 4, async (n) => {
    const project = await loud.project(`named-${n}`)
    await isReady(loud, await loud.deploy(project, '/etc'))
    return project
  })
  const folder = await sendFolder(world.site.base(), loud.token, [content('compose.yaml', STACK)])
  await inParallel(RUNS, 8, async (n) => {
    const projectId = await loud.project(`long-${n}`)
    await loud.ask('POST', '/api/deployments/build/access', { projectId, uploadSessionId: folder.id })
  })
  await inParallel(NAMES, 8, async (n) => {
    const host = `n${n}.loud.example`
    await world.ca.dns.set(host, { a: [loud.address] })
    await loud.ask('POST', `/api/projects/${live[Math.floor(n / NAMES_PER_PROJECT)]}/domains`, { host })
  })
  const runs = await until('the flood is there', 300_000, async () => {
    const seen = await countRuns(db, loud.orgId)
    return seen.running + seen.resting >= Math.min(8, RUNS) && (await countOrders(db, loud.orgId)) > 0
      ? seen
      : undefined
  })
  console.log(`  the flood: ${JSON.stringify(runs)} deployments, ${await countOrders(db, loud.orgId)} orders at the CA`)
}

type Rollback = { began: number; done: number }
type Busy = {
  waits: Wait[]
  rollbacks: Rollback[]
  remove: Rollback
  renewal: { ms: number | null; order: number }
}

async function troubledDays(ground: Ground, { shop, back, gone }: Projects): Promise<Busy> {
  const { db, loud, quiet, other } = ground
  const before = await serialOf(quiet, shop)
  await endsTomorrow(db, HOST)
  const renewal = renewed(ground, shop, before)
  const waits: Wait[] = []
  for (let n = 0; n < TIMES; n++) waits.push(await deployed(ground, quiet, shop, n % 2 === 0 ? '/etc' : '/bin'))
  console.log(
    `  beside it: ${TIMES} deployments began after ${listed(waits)} s; ${JSON.stringify(await countRuns(db, loud.orgId))}`,
  )
  const rollbacks: Rollback[] = []
  for (const target of back.releases) rollbacks.push(await wentBack(ground, back.id, target))
  console.log(`  beside it: rollbacks ${JSON.stringify(rollbacks)}; ${JSON.stringify(await countRuns(db, loud.orgId))}`)
  const asked = performance.now()
  await other.ask('DELETE', `/api/deployments/${gone.release}?force=true`)
  const remove = { began: await waitOf(db, await newestRun(db, gone.id, 'remove')), done: performance.now() - asked }
  console.log(`  beside it: a forced delete ${JSON.stringify(remove)}`)
  return { waits, rollbacks, remove, renewal: await renewal }
}

async function wentBack({ db, world, other }: Ground, project: string, target: string) {
  const asked = performance.now()
  const { deployment_id: id } = await other.ask('POST', `/api/deployments/${target}/rollback`)
  const began = await waitOf(db, id)
  await isReady(other, id)
  // The first release shows a file that the second does not have.
  const door = { address: other.address, port: world.site.httpPort }
  const wanted = (await other.show(target)).number === 1 ? 200 : 404
  await until(`visitors of ${project} see it`, 20_000, async () => {
    const { status } = await visit(door, 'back.fair.test', '/resolv.conf')
    return status === wanted || undefined
  })
  return { began, done: performance.now() - asked }
}

async function renewed({ db, quiet, loud }: Ground, shop: string, before: string | null): Promise<Busy['renewal']> {
  const began = performance.now()
  const done = until('it is renewed', 2 * RENEW_MS, async () => {
    const serial = await serialOf(quiet, shop)
    return serial !== null && serial !== before ? performance.now() - began : undefined
  })
  const ms = await done.catch(() => null)
  const order = await countOrders(db, loud.orgId)
  console.log(
    `  beside it: the certificate that ends tomorrow was ${ms === null ? 'not renewed' : `renewed after ${seconds(ms)} s`}`,
  )
  return { ms, order }
}

type Idle = { waits: Wait[]; rollbacks: Rollback[] }

function verdict(idle: Idle, { waits, rollbacks, remove, renewal }: Busy): { ok: boolean; figure: string } {
  const alone = Math.max(...idle.waits.map(({ ms }) => ms))
  const ratios = waits.map(({ ms, machine }) => ms / Math.max(FLOOR_MS, alone, machine))
  const urgent = Math.max(remove.began, ...rollbacks.map(({ began }) => began))
  const ok = Math.max(...ratios) <= MOST_RATIO && urgent <= URGENT_MS && renewal.ms !== null && renewal.ms <= RENEW_MS
  const figure = [
    `beside ${RUNS} deployments with jobs of an hour and ${NAMES} names of one organization, on 2 workers`,
    `deployments of another began after ${listed(waits)} s, ${Math.max(...ratios).toFixed(1)} times what they took alone at most (bar ${MOST_RATIO}; alone ${listed(idle.waits)} s, an idle instance on the same machine at those moments ${waits.map(({ machine }) => seconds(machine)).join(', ')} s; less than 1 s counts as 1)`,
    `rollbacks and a forced delete of a third began after at most ${seconds(urgent)} s (bar ${URGENT_MS / 1000}), and were done after ${ends(rollbacks)} (alone ${ends(idle.rollbacks)}) and ${seconds(remove.done)} s`,
    renewal.ms === null
      ? `a certificate that ends tomorrow was not renewed within ${(2 * RENEW_MS) / 1000} s`
      : `a certificate that ends tomorrow was renewed after ${seconds(renewal.ms)} s (bar ${RENEW_MS / 1000}), with ${renewal.order} orders of the other in the window`,
    `load average ${loadavg()[0]?.toFixed(1)}`,
  ].join('; ')
  return { ok, figure }
}

/** Hundreds of services take an engine longer than a minute to end. */
async function takeAway(world: TlsWorld): Promise<void> {
  const { site } = world
  for (const replica of site.replicas) await replica.stop('SIGKILL').catch(() => {})
  for (const part of ['engine', 'host1', 'host2'] as const) {
    const { socket } = labPart(part)
    for (let round = 0; round < 10; round++) {
      const done = await cleared(socket, site.instance).then(
        () => true,
        () => false,
      )
      if (done) break
    }
  }
  await world.close()
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)
const ends = (all: Rollback[]) => all.map(({ done }) => seconds(done)).join(', ')
const listed = (waits: Wait[]) => waits.map(({ ms }) => seconds(ms)).join(', ')

async function inParallel<R>(count: number, most: number, work: (n: number) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const left = Array.from({ length: count }, (_, n) => n).values()
  await Promise.all(
    Array.from({ length: most }, async () => {
      for (const n of left) results[n] = await work(n)
    }),
  )
  return results
}
