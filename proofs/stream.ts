import { newId } from '../server/src/db/ids.ts'
import type { RunningServer } from '../test-kit/built-server.ts'
import type { TestDatabase } from '../test-kit/database.ts'
import { app, type Files, GOOD } from '../test-kit/sample-app.ts'
import { openSite, type Site } from '../test-kit/site.ts'
import { until } from '../test-kit/until.ts'
import { size } from './ledger/sizes.ts'
import { CLAIM, type Ingest, measureIngest } from './parts/stream/ingest.ts'
import { type Rows, startViewers, type Viewers } from './parts/stream/viewers.ts'
import type { Wandered } from './parts/stream/wanderers.ts'
import type { Watched } from './parts/stream/watchers.ts'

export const claim =
  'Whoever follows a deployment sees every event once and in order, however often connections and processes end; ' +
  'two thousand viewers of one process, and ten thousand of three, see a line within half a second.'
export const kind = 'figure'
export const quick = false

const LINES = 200_000
const RECONNECTS = 1000
const RESTARTS = 3
/** One process with lines as a build prints them; several with as many viewers as an instance is made for. */
const CROWD: Gathering = { viewers: 2000, processes: 1, rows: 3000, atOnce: 5, pauseMs: 100 }
const LARGE: Gathering = {
  viewers: size('SLIPWAY_STREAM_VIEWERS', 10_000),
  processes: 3,
  rows: 60,
  atOnce: 1,
  pauseMs: 500,
}
const MOST_P99_MS = 500
const MOST_RSS_MB = 400
const LEAST_RATIO = 0.5

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const site = await openSite({ name: 'stream' })
  const viewers = startViewers()
  try {
    const worker = await site.start({ role: 'worker' })
    await site.addLocalServer()
    const whole = await reconnecting(site, viewers)
    const taken = await takenOver(site, viewers, worker)
    const crowd = await crowded(site, viewers, CROWD)
    const large = await crowded(site, viewers, LARGE)
    const ingest = await ingesting(site)
    const ok = [
      isWhole(whole, RECONNECTS),
      isWhole(taken, 1),
      isQuick(crowd),
      isQuick(large),
      ingest.ratio >= LEAST_RATIO,
    ]
    return {
      ok: ok.every(Boolean),
      figure: [tellWhole(whole), tellTaken(taken), tellCrowd(crowd), tellCrowd(large), tellIngest(ingest)].join('; '),
    }
  } finally {
    viewers.stop()
    await site.close()
  }
}

/** A build that prints rows, so many at a time with a pause between, each with the time it was printed at. */
const printing = (rows: number, atOnce: number, pauseMs: number): Files => ({
  ...app(GOOD),
  'print.js': `
let row = 0
const print = () => {
  let text = ''
  for (let n = 0; n < ${atOnce} && row < ${rows}; n++) text += 'row ' + row++ + ' @' + Date.now() + ' added 412 packages, and audited 413 packages\\n'
  process.stdout.write(text, () => row < ${rows} && setTimeout(print, ${pauseMs}))
}
print()`,
  Dockerfile: 'FROM node:24-slim\nWORKDIR /app\nCOPY . .\nRUN node print.js\nUSER node\nCMD ["node", "server.js"]\n',
})

/** Waits at its gate, so that viewers are there before anything is printed. */
async function prepare(site: Site, name: string, files: Files) {
  const projectId = await site.project(name, { settings: { approveBuild: true } })
  const id = await site.deploy(projectId, files)
  await site.until(id, (seen) => seen.waitingOn !== null)
  const approve = () =>
    site.ask('POST', `/api/deployments/${id}/build/respond`, { promptId: 'approve_build', action: 'approve' })
  return { id, approve }
}

type Whole = { wandered: Wandered; rows: Rows; wanted: number; builds: number; restarts: number; status: string }

async function reconnecting(site: Site, viewers: Viewers): Promise<Whole> {
  const servers = [await site.start({ role: 'api' }), await site.start({ role: 'api' })]
  const { id, approve } = await prepare(site, 'reconnecting', printing(LINES, 250, 60))
  const urls = () => servers.map((server) => server.url)
  const order = { token: site.token, id, wanderers: 25, reconnects: RECONNECTS, events: LINES, deadlineMs: 600_000 }
  const wandering = viewers.wander({ ...order, urls: urls() })
  wandering.catch(() => {})
  await approve()
  for (let n = 0; n < RESTARTS; n++) {
    await seenAtLeast(viewers, ((n + 1) * LINES) / (RESTARTS + 1))
    // The last one is asked to leave, the others are not.
    await restart(site, servers, n % servers.length, n === RESTARTS - 1 ? 'SIGTERM' : 'SIGKILL', (now) =>
      viewers.urls(now),
    )
    console.log(`  process ${n + 1} of ${RESTARTS} was ended and started again: ${told(await viewers.sofar())}`)
  }
  const { wandered, rows } = await wandering
  const { status } = await site.ended(id)
  for (const server of servers) await server.stop()
  console.log(`  ${told(wandered)}; ${tellRows(rows)}, deployment ${status}`)
  return { wandered, rows, wanted: LINES, builds: 1, restarts: RESTARTS, status }
}

async function restart(
  site: Site,
  servers: RunningServer[],
  which: number,
  signal: NodeJS.Signals,
  tell: (urls: string[]) => void,
): Promise<void> {
  const old = servers[which]
  await old?.stop(signal)
  const others = servers.filter((server) => server !== old)
  tell(others.map((server) => server.url))
  servers[which] = await site.start({ role: 'api' })
  tell(servers.map((server) => server.url))
}

async function seenAtLeast(viewers: Viewers, events: number): Promise<void> {
  await until(`event ${events} is seen`, 300_000, async () => (await viewers.sofar()).last >= events, { everyMs: 100 })
}

/** The process that runs the build is killed: another one builds again, and numbers go on where they were. */
async function takenOver(site: Site, viewers: Viewers, worker: RunningServer): Promise<Whole> {
  const rows = 20_000
  const server = await site.start({ role: 'api' })
  const { id, approve } = await prepare(site, 'taken-over', printing(rows, 100, 50))
  const order = { token: site.token, id, wanderers: 10, reconnects: 100, events: rows, deadlineMs: 300_000 }
  const wandering = viewers.wander({ ...order, urls: [server.url] })
  wandering.catch(() => {})
  await approve()
  await seenAtLeast(viewers, rows / 2)
  await worker.stop('SIGKILL')
  await site.start({ role: 'worker' })
  const { wandered, rows: printed } = await wandering
  const { status } = await site.ended(id)
  await server.stop()
  console.log(`  the builder was killed: ${told(wandered)}; ${tellRows(printed)}, deployment ${status}`)
  return { wandered, rows: printed, wanted: rows, builds: 2, restarts: 1, status }
}

type Gathering = { viewers: number; processes: number; rows: number; atOnce: number; pauseMs: number }
type Crowd = Watched & { rssMb: number; wanted: Gathering }

async function crowded(site: Site, viewers: Viewers, wanted: Gathering): Promise<Crowd> {
  const servers: RunningServer[] = []
  while (servers.length < wanted.processes) servers.push(await site.start({ role: 'api' }))
  const { id, approve } = await prepare(
    site,
    `crowd of ${wanted.viewers}`,
    printing(wanted.rows, wanted.atOnce, wanted.pauseMs),
  )
  let connected = () => {}
  const all = new Promise<void>((done) => {
    connected = done
  })
  const urls = servers.map(({ url }) => url)
  const most = { viewers: wanted.viewers, atOnce: 2000, deadlineMs: 400_000 }
  const order = { urls, token: site.token, id, ...most }
  const watching = viewers.watch(order, connected)
  await Promise.race([all, watching])
  console.log(`  ${wanted.viewers} viewers are there: ${servers.map((one) => one.rssMb().toFixed(0)).join(', ')} MB`)
  await approve()
  const watched = await watching
  const rssMb = Math.max(...servers.map((one) => one.peakRssMb()))
  for (const server of servers) await server.stop()
  console.log(`  ${JSON.stringify(watched)}, at most ${rssMb.toFixed(0)} MB`)
  return { ...watched, rssMb, wanted }
}

async function ingesting(site: Site): Promise<Ingest> {
  const database = site.database as TestDatabase
  const id = newId('dep')
  await database.pool.query(
    `insert into deployment (id, org_id, project_id, server_id, number, status, trigger, source, request, created_by)
     select $1, org_id, project_id, server_id, number + 1000, 'building', trigger, source, request, created_by
     from deployment limit 1`,
    [id],
  )
  await database.pool.query(
    `insert into run (id, lane, kind, org_id, input, status, fence, claim)
     select id, id, 'proof', org_id, '{}', 'running', 1, $2 from deployment where id = $1`,
    [id, CLAIM.claim],
  )
  const ingest = await measureIngest(database, id, LINES, 3)
  console.log(`  ${JSON.stringify(ingest)}`)
  return ingest
}

const tellRows = ({ begun, last }: Rows) => `rows 0 to ${last} of build ${begun}`

const isWhole = ({ wandered, rows, wanted, builds, status }: Whole, reconnects: number) =>
  wandered.misnumbered + wandered.different + wandered.unfinished === 0 &&
  wandered.reconnects >= reconnects &&
  rows.inOrder &&
  rows.begun === builds &&
  rows.last === wanted - 1 &&
  status === 'ready'

const isQuick = ({ refused, cut, faults, p99, rssMb, lines, wanted }: Crowd) =>
  refused + cut + faults === 0 && lines === wanted.rows * wanted.viewers && p99 < MOST_P99_MS && rssMb < MOST_RSS_MB

const told = ({ events, reconnects, broken, misnumbered, different, refused }: Omit<Wandered, 'unfinished'>) =>
  `${events} events read, ${reconnects} reconnects, ${broken} broken connections, ${refused} refused, ` +
  `${misnumbered} gaps or repeats, ${different} differences`

const tellWhole = ({ wandered, rows, restarts }: Whole) =>
  `${rows.inOrder && rows.begun === 1 ? rows.last + 1 : 'not all'} of ${LINES} lines once and in order over ${wandered.reconnects} reconnects and ${restarts} process ` +
  `restarts, ${wandered.misnumbered} gaps or repeats and ${wandered.different} differences in ${wandered.events} events read`
const tellTaken = ({ wandered }: Whole) =>
  `${wandered.misnumbered + wandered.different} when the building process was killed`
const tellCrowd = ({ viewers, p50, p99, max, rssMb, refused, cut, lines, wanted }: Crowd) =>
  `${viewers} viewers of ${wanted.processes} processes (${refused + cut} lost) received ${lines} lines after ${p50} ms, p99 ${p99} ms, ` +
  `at most ${max} ms (bar ${MOST_P99_MS}), in ${rssMb.toFixed(0)} MB (bar ${MOST_RSS_MB})`
const tellIngest = ({ ours, bare, ratio }: Ingest) =>
  `${Math.round(ours)} lines/s stored, ${ratio.toFixed(2)} of a bare insert's ${Math.round(bare)} (bar ${LEAST_RATIO})`
