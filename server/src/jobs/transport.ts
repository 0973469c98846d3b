import type { Db, Job, PgBoss } from 'pg-boss'
import { openDatabase, type Tx } from '../db/database.ts'
import type { Epoch } from '../db/epoch.ts'
import type { Pool } from '../db/statement.ts'
import { URGENCY } from './enqueue.ts'
import type { Listener } from './listener.ts'
import type { Log } from './log.ts'
import { leastPriority, placeInLine } from './place-in-line.ts'

/** Until a dead worker is noticed; pg-boss accepts no less. */
export const HEARTBEAT_SECONDS = 10
const QUEUE = 'run'
const SCHEMA = 'pgboss'

/** A wake-up call in hand. Its signal says that it is no longer ours. */
export type Call = { lane: string; signal: AbortSignal; job: Job<{ lane: string }> }

/** Calls in hand at once, in this process. */
export type Slots = {
  /** For every call. */
  all: number
  /** Of one organization, where there are several: so many usual ones, and as many urgent ones. */
  perOrg: number
  /** Beside those, for calls that are at least so urgent. */
  reserved: { least: number; slots: number }[]
}

/**
 * The whole of what we ask of pg-boss. A call for a lane is handled by one worker at a time, and by another one when
 * that worker falls silent. A call too many is harmless; a call is lost only with its transaction.
 */
export type Transport = {
  wake(tx: Tx, lane: string): Promise<void>
  complete(tx: Tx, call: Call): Promise<void>
  work(slots: Slots, handler: (call: Call, least: number) => Promise<void>): Promise<{ stop(): Promise<void> }>
  /** Looks for workers that fell silent and gives their calls to others. */
  supervise(): Promise<void>
  /** Which of these lanes have no call, waiting or in hand. */
  missing(lanes: string[]): Promise<string[]>
  close(): Promise<void>
}

type Options = {
  databaseUrl: string
  /** Who only wakes needs none; a worker hears of its calls through it. */
  listener?: Listener
  log: Log
  epoch?: Epoch
}
type Execute = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>
type Started = { boss: PgBoss; inside(tx: Tx): Db }

/** Loads pg-boss and connects on first use: a process that never wakes anybody does not pay for it. */
export function openTransport(options: Options): Transport {
  const { epoch } = options
  const { pool } = openDatabase({
    url: options.databaseUrl,
    onConnect: epoch?.look,
    connections: options.listener ? 2 : 1,
    onError: (error) => options.log.warn({ reason: error.message }, 'a connection of the job queue was lost'),
  })
  let started: Promise<Started> | undefined
  const start = () => {
    started ??= startBoss(options, inEpoch(pool, epoch)).catch((error) => {
      started = undefined
      throw error
    })
    return started
  }
  // Whoever only wakes needs another one as well: this one says nothing more.
  epoch?.onChange(() => {
    const over = started
    started = undefined
    void over?.then(({ boss }) => boss.stop({ graceful: false })).catch(() => {})
  })
  return {
    async wake(tx, lane) {
      const { boss, inside } = await start()
      const { priority, group } = await placeInLine(tx, lane)
      const options = { singletonKey: lane, priority, ...(group !== null && { group: { id: group } }) }
      const id = await boss.send(QUEUE, { lane }, { ...options, db: inside(tx) })
      if (id === null) throw new Error(`pg-boss refused a call for lane ${lane}`)
    },
    async complete(tx, { job }) {
      const { boss, inside } = await start()
      await boss.complete(QUEUE, job, null, { db: inside(tx) })
    },
    async work({ all, perOrg, reserved }, handler) {
      const { boss } = await start()
      // The share is one of the queue in this process, and the last to name it decides.
      for (const { least, slots } of [...reserved, { least: URGENCY.usual, slots: all }]) {
        const settings = {
          ...WORK,
          localConcurrency: slots,
          localGroupConcurrency: Math.min(perOrg, slots),
          ...(least > URGENCY.usual && { minPriority: leastPriority(least) }),
        }
        await boss.work<{ lane: string }>(QUEUE, settings, async ([job]) => {
          if (job) await handler({ lane: job.data.lane, signal: job.signal, job }, least)
        })
      }
      return { stop: () => boss.offWork(QUEUE, { wait: true }) }
    },
    async supervise() {
      await (await start()).boss.supervise(QUEUE)
    },
    async missing(lanes) {
      await start()
      const { rows } = await pool.query<{ lane: string }>(MISSING, [lanes, QUEUE])
      return rows.map((row) => row.lane)
    },
    async close() {
      const running = await started?.catch(() => undefined)
      await running?.boss.stop({ graceful: false })
      // Not by the query builder: never used, it would not know of the pool it is to end.
      await pool.end()
    },
  }
}

/**
 * In another epoch a job of the same id may be in the hands of another worker: nothing that this boss still has to say, by
 * heartbeat or at the end of a handler, is about that one.
 */
function inEpoch(pool: Pool, epoch: Epoch | undefined): Execute {
  const begun = epoch?.number
  return async (text, values) => {
    const client = await pool.connect()
    try {
      if (epoch?.number !== begun) throw new Error('This was begun in another epoch of the database.')
      const result = await client.query(text, values)
      client.release()
      return result
    } catch (error) {
      client.release(error as Error)
      throw error
    }
  }
}

/** Calls are announced; looking for them is for what nobody heard. */
const WORK = {
  heartbeatRefreshSeconds: 2,
  pollingIntervalSeconds: 1,
  notifyPollingIntervalSeconds: 3,
  burstWhenReadyExceeds: 1,
}

const MISSING = `
  select lane from unnest($1::text[]) lane where not exists (
    select 1 from ${SCHEMA}.job where name = $2 and singleton_key = lane and state <= 'active')`

async function startBoss(options: Options, executeSql: Execute): Promise<Started> {
  const { PgBoss, fromKysely } = await import('pg-boss')
  const { listener, log } = options
  const boss = new PgBoss({
    db: listener ? { executeSql, listen: listener.listen } : { executeSql },
    schema: SCHEMA,
    useListenNotify: listener !== undefined,
    schedule: false,
    // The watcher decides when it is safe to declare a worker dead.
    supervise: false,
    monitorIntervalSeconds: 1,
    queueCacheIntervalSeconds: listener ? 1 : 3600,
    bamIntervalSeconds: 3600,
    registerInstance: false,
  })
  boss.on(
    'error',
    seldom((error) => log.warn({ reason: error.message }, 'the job queue could not do its work')),
  )
  boss.on('warning', ({ message, data }) => log.warn({ reason: message, data }, 'the job queue warns'))
  await boss.start()
  await boss.createQueue(QUEUE, { policy: POLICY, ...SETTINGS })
  // An installation that has the queue already follows settings that have changed since.
  await boss.updateQueue(QUEUE, SETTINGS)
  return { boss, inside: (tx) => fromKysely(tx.withoutPlugins()) }
}

/** One call in hand per lane, any number waiting. Every other policy drops a call whose sender commits late. */
const POLICY = 'singleton'
const SETTINGS = {
  notify: true,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  /** The longest time between two gates. */
  expireInSeconds: 6 * 3600,
  /** Then the watcher finds the lane without a call; what ends a hopeless run is our own count of attempts. */
  retryLimit: 5,
  /** Finished calls are of no interest: the truth is in our tables. */
  deleteAfterSeconds: 3600,
}

/** During an outage every slot complains every second: the first of ten seconds is enough. */
function seldom(say: (error: Error) => void): (error: Error) => void {
  let quietUntil = 0
  return (error) => {
    if (performance.now() < quietUntil) return
    quietUntil = performance.now() + 10_000
    say(error)
  }
}
