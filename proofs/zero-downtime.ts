import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { Files } from '../test-kit/sample-app.ts'
import type { Site } from '../test-kit/site.ts'
import { size } from './ledger/sizes.ts'
import { edgeFacts, sameEdge } from './parts/edge-facts.ts'
import { type HttpLoad, type Report, startHttpLoad } from './parts/http-load.ts'
import { addNeighbours, type Neighbours } from './parts/neighbours.ts'
import { eventStream, type OpenEnd, slowRequest, webSocket } from './parts/open-ends.ts'
import { type QuietPosts, startQuietPosts } from './parts/quiet-posts.ts'
import { type Changes, keepChanging } from './parts/tls/keep-changing.ts'
import { openTlsWorld } from './parts/tls/world.ts'

export const claim =
  'A million requests during deploys, rollbacks, restarts, failing deploys, renewals and changes of routes: none is lost.'
export const kind = 'story'
export const quick = false

const PER_SECOND = 800
const LEAST_PER_SECOND = 400
const CONNECTIONS = 32
/** Of a round; there are as many rounds as it takes. */
const DEPLOYS = 20
const REQUESTS = size('SLIPWAY_ZERO_REQUESTS', 1_000_000)
const MOST_MINUTES = 40
const NEIGHBOURS = 40
const ROLLBACK_AFTER = [4, 8, 12, 16, 20]
const RESTART_AFTER = [5, 10, 15]
const BREAK_BUILD_AFTER = 7
const CRASH_AFTER = 11
const SICK_AFTER = 18
/** The release before each of these drains, with so many streams of each kind open. */
const OPEN_ENDS_BEFORE = [2, 6, 9, 12, 18, 20]
const STREAMS = 40

/** What the application does when it is told to stop, or what is wrong with it. */
type Manner = 'drains' | 'leaves' | 'ignores' | 'crashes' | 'sick'
const LEAVES = [3, 4, 6, 12, 13, 16]
const IGNORES = [10, 15]
const mannerOf = (n: number): Manner => (LEAVES.includes(n) ? 'leaves' : IGNORES.includes(n) ? 'ignores' : 'drains')

type Live = { id: string; version: string }
type Played = { deploys: number; rollbacks: number; restarts: number; failures: number; drains: number }
type Stage = {
  site: Site
  load: HttpLoad
  project: string
  live: Live
  before: Live
  open: OpenEnd[]
  played: Played
  began: number
}

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const world = await openTlsWorld({ name: 'steady' })
  const { site } = world
  const load = await startHttpLoad(site.engine.gateway)
  try {
    await world.start()
    await site.addLocalServer()
    const stage = await open(site, load)
    const changing = await keepChanging(world, stage.project)
    const edge = await edgeFacts(site.engine.socket, site.instance)
    const neighbours = addNeighbours(site, NEIGHBOURS)
    // Heard of below, also when it happens while something else is waited for.
    neighbours.catch(() => {})
    const quiet = await openQuiet(stage)
    await play(stage)
    const changes = await changing()
    const ends = await Promise.all(stage.open.map(ended))
    const added = await neighbours
    const posts = await quiet.end()
    const report = await load.end()
    const same = sameEdge(edge, await edgeFacts(site.engine.socket, site.instance))
    return verdict({ report, ends, added, posts, same, changes, stage })
  } finally {
    load.stop()
    await world.close()
  }
}

/** The first release, and the traffic that will not stop from here on. */
async function open(site: Site, load: HttpLoad): Promise<Stage> {
  const project = await site.project('shop')
  const live = { id: await first(site, load, project), version: '0' }
  await load.allow(live.version)
  const where = { address: site.engine.address, port: site.httpPort, host: site.host('shop') }
  await load.begin({ ...where, perSecond: PER_SECOND, connections: CONNECTIONS })
  const played = { deploys: 0, rollbacks: 0, restarts: 0, failures: 0, drains: 0 }
  return { site, load, project, live, before: live, open: [], played, began: performance.now() }
}

/** The same application in a project of its own, which nobody deploys again. */
async function openQuiet({ site, load }: Stage): Promise<QuietPosts> {
  await first(site, load, await site.project('quiet'))
  return startQuietPosts({ address: site.engine.address, port: site.httpPort, host: site.host('quiet') })
}

async function first(site: Site, load: HttpLoad, project: string): Promise<string> {
  const service = { name: 'web', healthcheck: { path: '/healthz', startPeriodMs: 5000 } }
  const id = await site.deploy(project, files(load, '0', 'drains'), { services: [service] })
  const { status, error } = await site.ended(id)
  if (status !== 'ready') throw new Error(`the first deployment: ${JSON.stringify(error)}`)
  return id
}

const source = readFileSync(join(import.meta.dirname, 'parts/apps/shop.mjs'), 'utf8')
const files = (load: HttpLoad, version: string, manner: Manner, line = ''): Files => ({
  Dockerfile: `FROM node:24-slim\nWORKDIR /shop\nCOPY . .\n${line}USER 1000\nEXPOSE 8080\nCMD ["node", "shop.mjs"]\n`,
  'shop.mjs': source,
  'settings.json': JSON.stringify({ version, manner, ledger: load.ledger }),
})

async function play(stage: Stage): Promise<void> {
  for (let enough = false; !enough; ) {
    await playRound(stage)
    const { answered } = await stage.load.look()
    enough = answered >= REQUESTS || performance.now() - stage.began > (MOST_MINUTES - 8) * 60_000
  }
}

async function playRound(stage: Stage): Promise<void> {
  for (let n = 1; n <= DEPLOYS; n++) {
    if (OPEN_ENDS_BEFORE.includes(n)) await openEnds(stage)
    await deploy(stage, mannerOf(n))
    if (ROLLBACK_AFTER.includes(n)) await rollback(stage)
    if (RESTART_AFTER.includes(n)) await restart(stage)
    if (n === BREAK_BUILD_AFTER) await fails(stage, 'drains', 'RUN ["node", "-e", "process.exit(7)"]\n')
    if (n === CRASH_AFTER) await fails(stage, 'crashes')
    if (n === SICK_AFTER) await fails(stage, 'sick')
  }
}

async function openEnds({ site, open, live, played }: Stage): Promise<void> {
  played.drains++
  const at = { address: site.engine.address, port: site.httpPort, host: site.host('shop') }
  const streams = Array.from({ length: STREAMS }, () => [eventStream(at), webSocket(at)]).flat()
  const now = [slowRequest(at, 10_000), slowRequest(at, 25_000), ...streams]
  open.push(...now)
  await Promise.all(now.map(({ begun }) => begun))
  console.log(`  open on version ${live.version}: ${now.length} long requests and streams`)
}

type Ended = { what: string; ok: boolean }

async function ended({ what, ended }: OpenEnd): Promise<Ended> {
  const { ok, how, seconds } = await ended
  if (!ok) console.log(`  ${what}: ${how} after ${seconds.toFixed(1)} s`)
  return { what, ok }
}

/** "236 of 240 WebSocket" for each kind. */
const kept = (ends: Ended[]): string =>
  [...Map.groupBy(ends, ({ what }) => what)]
    .map(([what, of]) => `${of.filter(({ ok }) => ok).length} of ${of.length} ${what}`)
    .join(', ')

async function deploy(stage: Stage, manner: Manner): Promise<void> {
  const { site, load, project, live, played } = stage
  const version = String(++played.deploys)
  await load.allow(live.version, version)
  const began = performance.now()
  const id = await site.deploy(project, files(load, version, manner))
  await becomes(stage, { id, version }, `version ${version}, which ${manner} when told to stop`, began)
}

async function rollback(stage: Stage): Promise<void> {
  const { site, load, live, before, played } = stage
  played.rollbacks++
  await load.allow(live.version, before.version)
  const began = performance.now()
  const { deployment_id: id } = await site.ask('POST', `/api/deployments/${before.id}/rollback`)
  await becomes(stage, { id, version: before.version }, `back to version ${before.version}`, began)
}

async function becomes(stage: Stage, next: Live, what: string, began: number): Promise<void> {
  const { status, error } = await stage.site.ended(next.id)
  if (status !== 'ready') throw new Error(`${what}: ${status} ${JSON.stringify(error)}`)
  await stage.load.allow(next.version)
  stage.before = stage.live
  stage.live = next
  await say(stage, `${what}: ready after ${since(began)} s`)
}

async function restart(stage: Stage): Promise<void> {
  const { site, live, played } = stage
  played.restarts++
  const began = performance.now()
  const tasks = async () => (await site.ask('GET', `/api/deployments/${live.id}/info`)).data as RunningTask[]
  const old = (await tasks()).map(({ taskId }) => taskId)
  await site.ask('POST', `/api/deployments/${live.id}/restart`)
  for (;;) {
    const fresh = (await tasks()).some(({ taskId, state }) => state === 'running' && !old.includes(taskId))
    const { services } = await site.show(live.id)
    if (fresh && services.every(({ status }) => status === 'healthy')) break
    if (performance.now() - began > 60_000) throw new Error(`not restarted: ${JSON.stringify(services)}`)
    await new Promise((done) => setTimeout(done, 200))
  }
  await say(stage, `version ${live.version} restarted after ${since(began)} s`)
}
type RunningTask = { taskId: string; state: string }

/** A release that must not get a single request: neither is it allowed to answer. */
async function fails(stage: Stage, manner: Manner, line = ''): Promise<void> {
  const { site, load, project, live, played } = stage
  played.failures++
  const began = performance.now()
  const id = await site.deploy(project, files(load, 'bad', manner, line))
  const { status, error } = await site.ended(id)
  if (status !== 'failed') throw new Error(`a deployment that ${line === '' ? manner : 'does not build'} is ${status}`)
  await say(stage, `failed as it should (${error?.code}) after ${since(began)} s, still version ${live.version}`)
}

async function say({ load, began }: Stage, what: string): Promise<void> {
  const { answered, failed, perSecond, p99, failures } = await load.look()
  const counts = `${answered} answered, ${failed} failed, ${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms`
  console.log(`  ${since(began).padStart(5)} s  ${what} | ${counts}, load average ${loadavg()[0]?.toFixed(1)}`)
  if (failures.length > 0) console.log(`         ${failures.at(-1)}`)
}

const since = (began: number) => ((performance.now() - began) / 1000).toFixed(1)

type Seen = {
  report: Report
  ends: Ended[]
  added: Neighbours
  posts: Awaited<ReturnType<QuietPosts['end']>>
  same: boolean
  changes: Changes
  stage: Stage
}

function verdict({ report, ends, added, posts, same, changes, stage }: Seen): { ok: boolean; figure: string } {
  for (const failure of report.failures) console.log(`  failed at ${failure}`)
  for (const failure of posts.failures.slice(0, 5)) console.log(`  a quiet POST ${failure}`)
  for (const wrong of changes.wrong) console.log(`  at the edge: ${wrong}`)
  const { deploys, rollbacks, restarts, failures, drains } = stage.played
  // Each of them must have answered, and none that nobody asked for.
  const tasks = 1 + deploys + rollbacks + restarts
  const minutes = (performance.now() - stage.began) / 60_000
  const polite = ends.filter(({ ok }) => ok).length
  const { failed, repeated, unseen, resetIdle, slowest } = report
  const ok =
    [failed, repeated, unseen, resetIdle, posts.failures.length].every((count) => count === 0) &&
    slowest >= LEAST_PER_SECOND &&
    report.answered >= REQUESTS &&
    minutes <= MOST_MINUTES &&
    changes.wrong.length === 0 &&
    changes.renewals > 0 &&
    report.tasks === tasks &&
    polite === ends.length &&
    added.answered === NEIGHBOURS &&
    same
  const figure = [
    `${failed} of ${report.answered + failed} requests failed in ${minutes.toFixed(0)} min`,
    `at ${report.perSecond.toFixed(0)}/s of ${PER_SECOND} offered (slowest 10 s: ${slowest.toFixed(0)}/s, bar ${LEAST_PER_SECOND}) over ${CONNECTIONS} connections`,
    `p50 ${report.p50.toFixed(1)} ms, p99 ${report.p99.toFixed(0)} ms, worst ${report.worst.toFixed(0)} ms`,
    `${report.posts} POSTs, ${repeated} taken twice, ${unseen} answered but not taken`,
    `${posts.failures.length} of ${posts.sent} POSTs failed that met a connection's idle end`,
    `${deploys} deploys, ${rollbacks} rollbacks, ${restarts} restarts, ${failures} failing deploys: ${report.tasks} containers answered (${tasks} were asked for)`,
    `${changes.renewals} certificates renewed, ${changes.names} names come and gone, ${changes.wrong.length} of them wrongly`,
    `ended as promised: ${kept(ends)} (${drains} drains)`,
    `${added.answered} of ${NEIGHBOURS} new projects answer, ${same ? 'edge never reloaded' : 'THE EDGE CHANGED'}`,
    `connections closed by the edge while idle: ${report.closedIdle}`,
    `load average ${loadavg()[0]?.toFixed(1)}, load generator ${(report.ownCpu * 100).toFixed(0)} % of a core`,
  ]
  return { ok, figure: figure.join('; ') }
}
