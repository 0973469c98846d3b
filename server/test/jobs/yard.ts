import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pino } from 'pino'
import { createDatabase } from '../../../test-kit/database.ts'
import { until } from '../../../test-kit/until.ts'
import { openDatabase, transaction } from '../../src/db/database.ts'
import { newId } from '../../src/db/ids.ts'
import type { RunStatus } from '../../src/db/tables.ts'
import { cancel, type NewRun, respond, submit } from '../../src/jobs/enqueue.ts'
import { openListener } from '../../src/jobs/listener.ts'
import { openTransport, type Slots } from '../../src/jobs/transport.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { type Input, TABLES, testPipeline } from './pipeline.ts'
import type { Said } from './program.ts'

type Event = { what: string; pid: number; fence: number; at: number }
export type WorkerProcess = {
  pid: number
  child: ChildProcess
  start(): Promise<void>
  end(signal: NodeJS.Signals): Promise<void>
}
export type Yard = Awaited<ReturnType<typeof openYard>>

export const ORG = 'org_1'
const silent = pino({ level: 'silent' })
/** For what must happen, on a machine that has other things to do. */
const PATIENCE_MS = 45_000
const OVER: RunStatus[] = ['succeeded', 'failed', 'cancelled', 'superseded']

/** A database of its own with runs on it, and as many workers as a test wants, in this process or in theirs. */
export async function openYard(url?: string) {
  const database = url ? { ...openDatabase({ url, connections: 5, onError: () => {} }), url } : await createDatabase()
  const { db, pool } = database
  await pool.query(TABLES)
  const transport = openTransport({ databaseUrl: database.url, log: silent })
  const cleanups: (() => Promise<unknown>)[] = []
  const query = async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[]
  const close = async () => {
    await Promise.allSettled(cleanups.map((clean) => clean()))
    await transport.close()
    await ('drop' in database ? database.drop() : database.close())
  }
  return {
    ...runsIn({ db, transport, query }),
    url: database.url,
    db,
    pool,
    transport,
    query,
    close,
    inProcess: async (slots: number | Slots) => {
      const worker = await startHere(database.url, slots)
      cleanups.push(worker.end)
      return worker
    },
    fork: async (slots: number | Slots = 20) => {
      const worker = await forkWorker(database.url, slots)
      cleanups.push(() => worker.end('SIGKILL'))
      await worker.start()
      return worker
    },
    /** A process that waits to be started as a worker. */
    forkIdle: async (slots: number | Slots = 20) => {
      const worker = await forkWorker(database.url, slots)
      cleanups.push(() => worker.end('SIGKILL'))
      return worker
    },
  }
}

type Parts = {
  db: Parameters<typeof transaction>[0]
  transport: ReturnType<typeof openTransport>
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>
}

function runsIn({ db, transport, query }: Parts) {
  const AT = 'what, pid, fence, extract(epoch from at)::float8 * 1000 as at'
  const effects = (id: string) => query<Event>(`select ${AT} from effect where run_id = $1 order by seq`, [id])
  const row = async (id: string) => (await db.selectFrom('run').selectAll().where('id', '=', id).execute())[0]
  const statusOf = async (id: string) => (await row(id))?.status
  const untilStatus = (id: string, wanted: RunStatus, ms = PATIENCE_MS) =>
    until(`${id} is ${wanted}`, ms, async () => {
      const status = await statusOf(id)
      if (status && OVER.includes(status) && status !== wanted) throw new Error(`${id} is ${status}, not ${wanted}`)
      return status === wanted || undefined
    })
  return {
    submit: async (
      input: Input = {},
      more: Partial<Pick<NewRun, 'lane' | 'orgId' | 'urgency' | 'supersede' | 'version'>> = {},
    ) => {
      const id = newId('dep')
      const run = { id, lane: id, kind: 'test', orgId: ORG, input, ...more }
      await transaction(db, (tx) => submit(tx, transport, run))
      return id
    },
    respond: (id: string, more: { gate?: string; answer?: unknown; orgId?: string } = {}) =>
      transaction(db, (tx) => respond(tx, transport, { orgId: ORG, id, gate: 'approve', answer: 'yes', ...more })),
    cancel: (id: string, orgId = ORG, more: { endParked?: boolean } = {}) =>
      transaction(db, (tx) => cancel(tx, transport, { orgId, id, ...more })),
    row,
    statusOf,
    untilStatus,
    effects,
    notes: async (id: string) => {
      const rows = await query<{ what: string }>('select what from note where run_id = $1 order by seq', [id])
      return rows.map((note) => note.what)
    },
    /** The n-th time that this happened. */
    untilEffect: (id: string, what: string, nth = 1, ms = PATIENCE_MS) =>
      until(
        `${what} of ${id}`,
        ms,
        async () => (await effects(id)).filter((event) => event.what === what)[nth - 1],
      ).catch(async (error) => {
        const history = (await effects(id)).map((event) => `${event.what}@${event.pid}/${event.fence}`)
        throw new Error(`${error.message}; ${JSON.stringify(await row(id))} ${history.join(' ')}`)
      }),
    jobs: (lane: string) =>
      query<{ state: string }>('select state from pgboss.job where singleton_key = $1 order by created_on', [lane]),
  }
}

/** All for everybody, unless a test says otherwise. */
const slotsOf = (slots: number | Slots): Slots =>
  typeof slots === 'number' ? { all: slots, perOrg: slots, reserved: [] } : slots

async function startHere(databaseUrl: string, slots: number | Slots) {
  const { db, pool, close } = openDatabase({ url: databaseUrl, connections: 8, onError: () => {} })
  const listener = openListener({ databaseUrl, log: silent })
  const transport = openTransport({ databaseUrl, listener, log: silent })
  const pipelines = { test: testPipeline(pool) }
  const worker = await startWorker({ db, transport, listener, pipelines, slots: slotsOf(slots), log: silent })
  let ended: Promise<void> | undefined
  const end = async () => {
    await worker.drain()
    await transport.close()
    await listener.close()
    await close()
  }
  return { pid: process.pid, end: () => (ended ??= end()) }
}

async function forkWorker(databaseUrl: string, slots: number | Slots): Promise<WorkerProcess> {
  const child = fork(join(import.meta.dirname, 'program.ts'), {
    execArgv: ['--conditions=slipway-source', '--disable-warning=ExperimentalWarning'],
    env: {
      PATH: process.env.PATH,
      SLIPWAY_TEST_DATABASE: databaseUrl,
      SLIPWAY_TEST_SLOTS: JSON.stringify(slotsOf(slots)),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr?.on('data', (chunk) => (said += chunk))
  const exited = once(child, 'exit')
  const hear = async (word: string) => {
    const heard = new Promise<Said>((done) => child.once('message', (message) => done(message as Said)))
    const first = await Promise.race([heard, exited.then(() => undefined)])
    if (!first || !(word in first)) throw new Error(`a worker ended before it was ${word}: ${said}`)
  }
  await hear('ready')
  return {
    pid: child.pid ?? 0,
    child,
    async start() {
      child.send({ start: true })
      await hear('started')
    },
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      if (signal === 'SIGKILL' || signal === 'SIGTERM') await exited
    },
  }
}
