import { newId } from '../../../server/src/db/ids.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import { until } from '../../../test-kit/until.ts'
import { type Followed, follow, type Stage } from './follow.ts'
import type { startFront } from './front.ts'
import { ascending, at, type Push, watchHeads } from './watch.ts'

type Front = Awaited<ReturnType<typeof startFront>>
type Storm = Stage & { front: Front; repositories: number; pushes: number }

const BURST = 50
/** Bursts go on so that a repository is pushed to every second and a half. */
const PAUSE_MS = 1500
const MOST_REQUESTS = 3000
const DOWN_MS = 3000
const SHARES = { lose: 0.1, duplicate: 0.1, reorder: 0.1, badSignature: 0.05, delayMs: 1500 }

/** Deliveries that get lost, come twice, late or forged; a process that is killed, and a host that is away for a while. */
export async function storm(stage: Storm): Promise<{ faults: string[]; figure: string }> {
  const { site, host, front } = stage
  const database = site.database as TestDatabase
  const all = await follow(stage, 'storm', stage.repositories, { 'index.html': '0' })
  await hold(database, site.orgId, all)
  host.do.requests()
  host.do.seed({ seed: 11 })
  host.do.faults({ deliveries: SHARES })
  const watch = watchHeads(database, 25)
  const { pushes, away } = await push(stage, all)
  const pushed = Date.now()
  const truth = new Map(pushes.map(({ repoId, sha }) => [repoId, sha]))
  await until('every head is at the newest commit', 180_000, async () => (await wrong(database, truth)) === 0).catch(
    () => {},
  )
  await new Promise((done) => setTimeout(done, 500))
  const settledMs = Date.now() - pushed
  await watch.stop()
  host.do.clearFaults()
  const requests = host.do.requests().length
  const waits = watch.waits(pushes)
  const told = new Set(
    front.arrived.filter(({ status, isSigned }) => status === 202 && isSigned).map(({ after }) => after),
  )
  // While the host is away it tells nobody: what it was pushed then is told late by itself.
  const calm = pushes.filter((one) => one.at < away.from || one.at > away.to)
  const spread = (some: Push[]) => ascending(some.map(({ sha }) => waits.get(sha) ?? Number.POSITIVE_INFINITY))
  const delivered = spread(calm.filter(({ sha }) => told.has(sha)))
  const lost = spread(pushes.filter(({ sha }) => !told.has(sha)))
  const slowest = Math.max(...front.arrived.filter(({ status }) => status !== 502).map(({ ms }) => ms))
  const seen = { ...(await judge(database, front)), wrong: await wrong(database, truth) }
  const faults = [
    ...fault(seen.wrong === 0, `${seen.wrong} of ${all.length} projects are not decided at their newest commit`),
    ...fault(seen.twice === 0, `${seen.twice} moves were deployed more than once`),
    ...fault(seen.forged === 0, `${seen.forged} forged deliveries were stored`),
    ...fault(at(delivered, 0.5) < 1000 && at(delivered, 0.99) < 5000, 'delivered pushes waited too long'),
    ...fault(at(lost, 1) < 90_000, 'lost pushes waited too long'),
    ...fault(slowest < 1000, 'an answer to a delivery took more than a second'),
    ...fault(requests <= MOST_REQUESTS, 'the host was asked too often'),
  ]
  const { lost: none, duplicated, reordered, badlySigned } = host.do.deliveries()
  const figure = [
    `${seen.wrong} of ${all.length} projects wrong after ${pushes.length} pushes`,
    `${none} deliveries lost, ${duplicated} doubled, ${reordered} late, ${badlySigned} forged, one process killed, host away for ${seconds(DOWN_MS)} s`,
    `${seen.deployments} deployments, ${seen.twice} moves deployed twice, ${seen.forged} forged ones taken`,
    `push to queued: delivered p50 ${seconds(at(delivered, 0.5))} s, p99 ${seconds(at(delivered, 0.99))} s, worst ${seconds(at(delivered, 1))} s (bars 1 and 5 s)`,
    `not delivered p50 ${seconds(at(lost, 0.5))} s, worst ${seconds(at(lost, 1))} s (bar 90 s)`,
    `slowest answer ${Math.round(slowest)} ms (bar 1 s)`,
    `${requests} requests to the host (bar ${MOST_REQUESTS}); all settled ${seconds(settledMs)} s after the last push`,
  ].join('; ')
  return { faults, figure }
}

/** What a project runs waits for a person: of what is pushed meanwhile, one waits behind it. */
export async function hold({ db }: TestDatabase, orgId: string, all: Followed[]): Promise<void> {
  const parked = { kind: 'deploy', orgId, input: '{}', status: 'parked', gate: 'hold' } as const
  for (const { projectId } of all)
    await db
      .insertInto('run')
      .values({ id: newId('dep'), lane: projectId, ...parked } as never)
      .execute()
}

async function push({ site, host, pushes: count }: Storm, all: Followed[]) {
  const pushes: Push[] = []
  const away = { from: Number.POSITIVE_INFINITY, to: 0 }
  const started = Date.now()
  for (let n = 0; n < count; n += BURST) {
    if (n === BURST * Math.floor((count * 0.3) / BURST)) void restart(site)
    if (n === BURST * Math.floor((count * 0.6) / BURST)) {
      away.from = Date.now() - 1500
      host.do.faults({ outage: true })
      setTimeout(() => {
        host.do.faults({ outage: false })
        away.to = Date.now()
      }, DOWN_MS)
    }
    const burst = Array.from({ length: Math.min(BURST, count - n) }, (_, more) => n + more)
    // To one repository one after the other: git has a lock there.
    const byRepository = Map.groupBy(burst, (order) => order % all.length)
    const pushAll = async ([at, orders]: [number, number[]]) => {
      const { id, full } = all[at] as Followed
      for (const order of orders) {
        const began = Date.now()
        const { after } = await host.do.push({ full, content: `${order}\n`, path: 'index.html' })
        pushes.push({ repoId: id, sha: after, order, at: began })
      }
    }
    await Promise.all([...byRepository].map(pushAll))
    if (n % 2500 === 0) console.log(`  ${n} pushes`)
    const next = started + ((n + BURST) / BURST) * PAUSE_MS * (BURST / all.length)
    await new Promise((done) => setTimeout(done, Math.max(0, next - Date.now())))
  }
  await host.do.delivered({ deadlineMs: 60_000 })
  return { pushes, away }
}

/** One of two: the other goes on. */
async function restart(site: Stage['site']): Promise<void> {
  await site.replicas[0]?.stop('SIGKILL')
  await site.start()
}

const fault = (holds: boolean, words: string) => (holds ? [] : [words])
const seconds = (ms: number) => (ms / 1000).toFixed(1)

/** Projects whose head is not at the newest commit, or that are not decided there, or have nothing that waits. */
async function wrong({ pool }: TestDatabase, truth: Map<number, string>): Promise<number> {
  const { rows } = await pool.query<{ repo_id: string; sha: string; done: boolean }>(
    `select h.repo_id, h.sha, p.head_seq = h.seq and exists (
       select 1 from deployment d where d.project_id = p.id and d.status = 'queued') as done
     from githost_head h join project p on p.org_id = h.org_id and p.githost_repo_id = h.repo_id`,
  )
  const right = rows.filter(({ repo_id, sha, done }) => done && truth.get(Number(repo_id)) === sha)
  return truth.size - right.length
}

async function judge({ pool }: TestDatabase, { arrived }: Front) {
  const count = async (text: string) => Number((await pool.query(`select count(*) as n from (${text}) x`)).rows[0].n)
  const { rows } = await pool.query<{ guid: string }>(
    `select split_part(guid, ':', 1) as guid from githost_delivery where via = 'delivery' and org_id is not null`,
  )
  const good = new Set(arrived.filter(({ isSigned }) => isSigned).map(({ guid }) => guid))
  return {
    forged: rows.filter(({ guid }) => !good.has(guid)).length,
    deployments: await count(`select 1 from deployment where trigger = 'push'`),
    twice: await count(
      `select project_id, seq from githost_delivery where decision = 'deployed' group by 1, 2 having count(distinct deployment_id) > 1
       union all select project_id, 0 from deployment d where trigger = 'push' and not exists (
         select 1 from githost_delivery g where g.deployment_id = d.id and g.decision = 'deployed')`,
    ),
  }
}
