import type { TestDatabase } from '../test-kit/database.ts'
import { cleared } from '../test-kit/engine.ts'
import { openSite, type Site } from '../test-kit/site.ts'
import { size } from './ledger/sizes.ts'
import { makeVersions } from './parts/queue/images.ts'
import { inspect, mostAtOnce, type Queued, type Span, unfinished, watchRuns } from './parts/queue/look.ts'

export const claim = 'of many deployments at once one runs per project at a time, the newest wins, and none is lost'
export const kind = 'story'
export const quick = false

const PROJECTS = size('SLIPWAY_QUEUE_PROJECTS', 200)
const VERSIONS = 3
const DEADLINE_MS = 30 * 60_000
const LOOKERS = 3

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const site = await openSite({ name: 'queue' })
  const images = await makeVersions(site.engine.socket, VERSIONS)
  try {
    await site.start({ role: 'worker' })
    await site.start({ role: 'worker' })
    await site.start({ role: 'api' })
    await site.addLocalServer()
    const watch = watchRuns(site.database as TestDatabase, 20)
    const projects = await inParallel([...Array(PROJECTS).keys()], 8, (n) => makeProject(site, `q-${n}`))
    const began = performance.now()
    await inParallel(projects, 4, (project, n) => submitAll(site, project, images.names, n))
    const asked = performance.now() - began
    const count = projects.reduce((sum, { deployments }) => sum + deployments.length, 0)
    console.log(`  ${count} deployments were asked for within ${seconds(asked)} s, the others when their eldest runs`)
    const looked = await lookAtAll(site, projects)
    const took = performance.now() - began
    await watch.stop()
    for (const fault of looked.faults.slice(0, 20)) console.log(`  ${fault}`)
    return verdict({ ...looked, took, watched: watch.seen })
  } finally {
    await takeAway(site)
    await images.remove()
  }
}

/** Two hundred services take the engine longer than a minute to end. */
async function takeAway(site: Site): Promise<void> {
  for (const replica of site.replicas) await replica.stop('SIGKILL')
  for (let round = 0; round < 10; round++)
    if (
      await cleared(site.engine.socket, site.instance).then(
        () => true,
        () => false,
      )
    )
      break
  await site.close()
}

async function makeProject(site: Site, name: string): Promise<Queued> {
  const id = await site.project(name)
  // One look at the start is enough: what is shown here is the queue, and hundreds of checks a second would be the load.
  const healthcheck = { intervalMs: 600_000, timeoutMs: 30_000, startPeriodMs: 60_000 }
  await site.ask('PUT', `/api/projects/${id}/services/web`, { port: 8080, memoryMb: 16, healthcheck })
  return { name, id, deployments: [], later: [] }
}

/** All at once, or for every fourth the newer ones when the eldest is already running. */
async function submitAll(site: Site, project: Queued, [first = '', ...others]: string[], n: number): Promise<void> {
  const patient = n % 4 === 0
  await submit(site, project, patient ? [first] : [first, ...others])
  if (patient) project.later = others
}

/** One after the other without a pause: the order of asking is the order of the versions. */
async function submit(site: Site, project: Queued, images: string[]): Promise<void> {
  for (const image of images) {
    const body = { projectId: project.id, image }
    const { deployment_id } = await site.ask('POST', '/api/deployments/build/access', body)
    project.deployments.push(deployment_id)
  }
}

type Looked = { faults: string[]; spans: Span[]; statuses: Record<string, number>; longestWaitMs: number }

/** Looks at each project when all of its deployments are over; the others go on meanwhile. */
async function lookAtAll(site: Site, projects: Queued[]): Promise<Looked> {
  const looked: Looked = { faults: [], spans: [], statuses: {}, longestWaitMs: 0 }
  const deadline = Date.now() + DEADLINE_MS
  const waiting = new Set(projects)
  const look = async (project: Queued) => {
    const { faults, spans, shown } = await inspect(site, project)
    looked.faults.push(...faults)
    looked.spans.push(...spans)
    for (const { status, timing } of shown) {
      looked.statuses[status] = (looked.statuses[status] ?? 0) + 1
      looked.longestWaitMs = Math.max(looked.longestWaitMs, timing.queuedMs ?? 0)
    }
  }
  while (waiting.size > 0 && Date.now() < deadline) {
    const { open, queued } = await unfinished(site.database as TestDatabase)
    const over = [...waiting].filter(
      ({ deployments }) => deployments.length === VERSIONS && !deployments.some((id) => open.has(id)),
    )
    for (const project of over) waiting.delete(project)
    for (const project of [...waiting].filter(({ deployments: [eldest = ''] }) => !queued.has(eldest)))
      await submit(site, project, project.later.splice(0))
    await inParallel(over, LOOKERS, look)
    if (Math.floor(waiting.size / 20) < Math.floor((waiting.size + over.length) / 20))
      console.log(`  ${projects.length - waiting.size} of ${projects.length} projects have come to their end`)
    await new Promise((done) => setTimeout(done, 500))
  }
  looked.faults.push(...[...waiting].map(({ name }) => `${name}: it has not come to its end`))
  return looked
}

type Seen = Looked & { took: number; watched: { most: number; looks: number; together: number } }

function verdict({ faults, spans, statuses, longestWaitMs, took, watched }: Seen): { ok: boolean; figure: string } {
  const counted = Object.entries(statuses).map(([status, n]) => `${n} ${status}`)
  const perMinute = Math.round((spans.length / took) * 60_000)
  const figure = [
    `${faults.length} faults in ${PROJECTS} projects × ${VERSIONS} deployments on 2 workers`,
    `${counted.join(', ')}`,
    `${watched.together} of ${watched.looks} looks saw two runs of one project`,
    `at most ${mostAtOnce(spans)} ran at once`,
    `${perMinute} rollouts a minute`,
    `the longest wait was ${seconds(longestWaitMs)} s`,
    `${seconds(took)} s in all`,
  ].join('; ')
  return { ok: faults.length === 0 && watched.together === 0, figure }
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)

async function inParallel<T, R>(all: T[], most: number, work: (one: T, n: number) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const left = all.entries()
  await Promise.all(
    Array.from({ length: most }, async () => {
      for (const [n, one] of left) results[n] = await work(one, n)
    }),
  )
  return results
}
