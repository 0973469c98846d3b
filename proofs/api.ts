import { bootstrap, cpuSeconds, type RunningServer, startServer } from '../test-kit/built-server.ts'
import { createDatabase, type TestDatabase } from '../test-kit/database.ts'
import { type Bare, startBare } from './parts/bare.ts'
import { type LoadProcess, type Measured, startLoad } from './parts/load.ts'

export const claim =
  'An authenticated request through the whole stack has at least 0.70 of the throughput of bare Fastify with the same SQL.'
/** A ratio that needs a quiet machine: not in CI, where other steps leave work behind. */
export const kind = 'figure'
export const quick = false

const BAR = 0.7
/** Many short rounds: what else the machine does then disturbs single rounds, not the median. */
const ROUNDS = 31
const MS = 180
const CONNECTIONS = 32
/** Both sides' pool, which is the server's default. */
const POOL = 20

type Sides = { server: RunningServer; bare: Bare; load: LoadProcess; token: string }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const database = await createDatabase({ migrated: true })
  try {
    const { token, orgId } = await bootstrap(database.url)
    const ids = await addProjects(database, orgId, 500)
    const env = { SLIPWAY_DATABASE_CONNECTIONS: String(POOL) }
    const server = await startServer({ databaseUrl: database.url, env })
    const bare = await startBare({ databaseUrl: database.url, connections: POOL, orgId })
    const load = startLoad()
    const sides = { server, bare, load, token }
    const one = await compare('one row', `/api/projects/${ids[250]}`, sides)
    const page = await compare('50-row page', '/api/projects?limit=50', sides)
    load.stop()
    bare.stop()
    await server.stop()
    return {
      ok: one.ratio >= BAR && page.ratio >= BAR,
      figure: `one row ${one.said}; 50-row page ${page.said}; bar ${BAR.toFixed(2)}`,
    }
  } finally {
    await database.drop()
  }
}

type Round = { ratio: number; ours: Side; theirs: Side }
type Side = Measured & { busy: number; cpuPerRequest: number }

/** Rounds of both sides in turn, each with its own ratio, so that what else the machine does hits both. */
async function compare(name: string, path: string, sides: Sides): Promise<{ ratio: number; said: string }> {
  for (let n = 0; n < 4; n++) await bothSides(path, sides, 500, n % 2 === 0)
  const rounds: Round[] = []
  for (let n = 0; n < ROUNDS; n++) rounds.push(await bothSides(path, sides, MS, n % 2 === 0))
  const middle = (pick: (round: Round) => number) => median(rounds.map(pick))
  const ratio = middle((round) => round.ratio)
  const rate = middle((round) => round.ours.perSecond)
  const cpu = middle((round) => round.theirs.cpuPerRequest) / middle((round) => round.ours.cpuPerRequest)
  const own = middle((round) => round.theirs.ownCpu)
  console.log(
    `  ${name}: ${rate.toFixed(0)}/s of bare ${middle((round) => round.theirs.perSecond).toFixed(0)}/s, ` +
      `processor per request ${micro(middle((round) => round.ours.cpuPerRequest))} of ${micro(middle((round) => round.theirs.cpuPerRequest))}; ` +
      `busy: server ${percent(middle((round) => round.ours.busy))}, bare ${percent(middle((round) => round.theirs.busy))}, load ${percent(own)}`,
  )
  const refused = rounds.reduce((sum, round) => sum + round.ours.refused + round.theirs.refused, 0)
  if (refused > 0) throw new Error(`${refused} answers were not 200`)
  if (own > 0.75) throw new Error('the load itself is the bottleneck: the ratio would flatter the server')
  return { ratio, said: `${ratio.toFixed(2)}× (${rate.toFixed(0)}/s, by processor time ${cpu.toFixed(2)}×)` }
}

async function bothSides(path: string, sides: Sides, ms: number, oursFirst: boolean): Promise<Round> {
  const { server, bare, load, token } = sides
  const run = async (port: number, pid: number): Promise<Side> => {
    const before = cpuSeconds(pid)
    const measured = await load.run({ port, path, token, connections: CONNECTIONS, ms })
    const used = cpuSeconds(pid) - before
    return { ...measured, busy: used / (ms / 1000), cpuPerRequest: used / measured.answers }
  }
  const runOurs = () => run(Number(new URL(server.url).port), server.pid)
  const first = oursFirst ? await runOurs() : undefined
  const theirs = await run(bare.port, bare.pid)
  const ours = first ?? (await runOurs())
  return { ratio: ours.perSecond / theirs.perSecond, ours, theirs }
}

async function addProjects({ pool }: TestDatabase, orgId: string, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into project (id, org_id, name, repository, branch, settings)
     select 'prj_01k2v9r6c8' || lpad(n::text, 16, '0'), $1, 'project ' || n, 'https://git.example.com/org/project-' || n,
       'main', '{"rollbackWindow": 8}' from generate_series(1, $2::int) n returning id`,
    [orgId, count],
  )
  await pool.query('analyze')
  return rows.map((row) => row.id)
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const micro = (seconds: number) => `${Math.round(seconds * 1e6)} µs`
const percent = (share: number) => `${Math.round(share * 100)} %`
