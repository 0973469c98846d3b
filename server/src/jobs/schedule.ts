import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Log } from './log.ts'
import { isOutage, repeat, retryOnOutage, sleep, within } from './patience.ts'
import { type Claim, LeaseLost, ShuttingDown } from './steps.ts'

type Recurring = {
  name: string
  everyMs: number
  /** Obeys the signal: it says that another process has taken over, or that this one shuts down. */
  run(signal: AbortSignal): Promise<unknown>
}

/** What does not obey in this time is left to the end of its lease. */
const STOP_MS = 10_000

type Options = { db: Database; log: Log; jobs: Recurring[]; leaseMs?: number; lookMs?: number }

/**
 * Recurring work, each by one process at a time. When it is due stands in the database and is told by its clock, so it
 * survives restarts; what was missed in between is done once, not once per interval. One timer per process.
 */
export function startSchedule(options: Options): { stop(): Promise<void> } {
  const { db, log, jobs, leaseMs = 30_000, lookMs = 5000 } = options
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let known = false

  const look = async () => {
    try {
      if (!known) await register(db, jobs)
      known = true
      for (const taken of await takeDue(db, jobs, leaseMs)) {
        const job = jobs.find(({ name }) => name === taken.name)
        if (!job) continue
        const work = perform({ db, log, leaseMs, stopping: stopping.signal }, job, taken)
        running.add(work)
        void work.finally(() => running.delete(work))
      }
    } catch (error) {
      if (!isOutage(error)) log.error({ err: error }, 'recurring work could not be looked for')
    }
  }
  // Replicas that start together do not look together.
  const loop = sleep(Math.random() * lookMs, stopping.signal).then(() => repeat(lookMs, stopping.signal, look))

  return {
    async stop() {
      stopping.abort(new ShuttingDown())
      // The last look may have found something.
      await within(
        STOP_MS,
        loop.then(() => Promise.all(running)),
      )
    },
  }
}

/** The work is ours while the row carries both. */
type Lease = Claim & { name: string }
type Performing = { db: Database; log: Log; leaseMs: number; stopping: AbortSignal }

async function perform({ db, log, leaseMs, stopping }: Performing, job: Recurring, lease: Lease): Promise<void> {
  const lost = new AbortController()
  const done = new AbortController()
  const renewing = renew(db, lease, leaseMs, done.signal, lost)
  const work = Promise.resolve().then(() => job.run(AbortSignal.any([lost.signal, stopping])))
  const failure = await work.then(
    () => null,
    (error: unknown) => error,
  )
  done.abort()
  await renewing
  if (lost.signal.aborted) return
  const interrupted = failure !== null && stopping.aborted
  if (failure !== null && !interrupted) log.error({ err: failure, job: job.name }, 'recurring work failed')
  // A process that leaves gives the work back at once.
  const nextMs = interrupted ? 0 : jittered(job.everyMs)
  const message = failure instanceof Error ? failure.message : failure === null ? null : String(failure)
  await retryOnOutage(stopping, () => release(db, lease, nextMs, message)).catch(() => {})
}

/** A lease that could not be renewed for its whole length is lost, whether or not anybody else has it. */
async function renew(
  db: Database,
  lease: Lease,
  leaseMs: number,
  done: AbortSignal,
  lost: AbortController,
): Promise<void> {
  let renewedAt = performance.now()
  await sleep(leaseMs / 3, done)
  await repeat(leaseMs / 3, AbortSignal.any([done, lost.signal]), async () => {
    const asked = performance.now()
    const ours = await extend(db, lease, leaseMs).catch(() => undefined)
    if (ours) renewedAt = asked
    if (ours === false || performance.now() - renewedAt > leaseMs) lost.abort(new LeaseLost())
  })
}

/** Jitter, up to a tenth later or earlier: what started together drifts apart. */
const jittered = (ms: number) => ms * (0.9 + Math.random() / 5)
const interval = (ms: number) => sql`make_interval(secs => ${ms / 1000})`

/** A new job is due at some moment of its first interval; one whose interval became shorter, within the new one. */
async function register(db: Database, jobs: Recurring[]): Promise<void> {
  for (const { name, everyMs } of jobs) {
    await sql`
      insert into schedule (name, due_at) values (${name}, clock_timestamp() + ${interval(Math.random() * everyMs)})
      on conflict (name) do update
      set due_at = least(schedule.due_at, clock_timestamp() + ${interval(jittered(everyMs))})`.execute(db)
  }
}

/** After a restart of PostgreSQL no lease is taken for dead until its owner has had the time to renew it. */
async function takeDue(db: Database, jobs: Recurring[], leaseMs: number): Promise<Lease[]> {
  const names = jobs.map((job) => job.name)
  const { rows } = await sql<Lease>`
    update schedule set fence = fence + 1, claim = gen_random_uuid(), leased_until = now() + ${interval(leaseMs)}, started_at = now()
    where name in (
      select name from schedule where name = any(${names}) and due_at <= now() and (leased_until is null or (
        leased_until < now() and pg_postmaster_start_time() < now() - ${interval(leaseMs)}))
      for update skip locked)
    returning name, fence, claim`.execute(db)
  return rows
}

async function extend(db: Database, { name, fence, claim }: Lease, leaseMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('schedule')
    .set({ leasedUntil: sql<Date>`now() + ${interval(leaseMs)}` })
    .where('name', '=', name)
    .where('fence', '=', fence)
    .where('claim', '=', claim)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function release(db: Database, { name, fence, claim }: Lease, nextMs: number, failure: string | null) {
  const dueAt = sql<Date>`clock_timestamp() + ${interval(nextMs)}`
  await db
    .updateTable('schedule')
    .set({ dueAt, leasedUntil: null, endedAt: sql<Date>`clock_timestamp()`, failure })
    .where('name', '=', name)
    .where('fence', '=', fence)
    .where('claim', '=', claim)
    .execute()
}
