import { sql } from 'kysely'
import { type Database, type Tx, transaction } from '../db/database.ts'
import { RUN_CHANNEL, type Waker } from './enqueue.ts'
import { retryOnOutage, sleep } from './patience.ts'
import type { Claim } from './steps.ts'

/** A release is announced; this is for one that nobody announced, because its owner died. */
const LOOK_MS = 1000

type Ticket = Claim & { name: string; most: number; runId: string }
type Waiting = {
  /** Instead of sleeping: the run may be parked meanwhile. */
  idle(ms: number, called: AbortSignal): Promise<void>
  /** It comes back for its ticket. */
  isParking(): boolean
}

/**
 * A semaphore of all processes: at most n runs at once per name, first come first served. A ticket is good while its run is
 * running under the ticket's claim, or parked: it needs no lease of its own, and dies with the ownership of the run.
 */
export class Limits {
  readonly #db: Database
  readonly #waker: Waker
  readonly #giveUp: AbortSignal
  readonly #waiting = new Map<string, Set<AbortController>>()

  constructor(db: Database, waker: Waker, giveUp: AbortSignal) {
    this.#db = db
    this.#waker = waker
    this.#giveUp = giveUp
  }

  async hold<T>(ticket: Ticket, signal: AbortSignal, work: () => Promise<T>, waiting: Waiting): Promise<T> {
    let isHeld = false
    try {
      // What is free within a moment is waited for; then it takes as long as it takes.
      for (let wait: Waiting['idle'] = sleep; !(await this.#takeOrWait(ticket, signal, wait)); wait = waiting.idle)
        signal.throwIfAborted()
      isHeld = true
      signal.throwIfAborted()
      return await work()
    } finally {
      // Whoever is parked in line comes back to its place; whoever rests in the middle of its work needs none meanwhile.
      if (isHeld || !waiting.isParking()) await retryOnOutage(this.#giveUp, () => this.#release(ticket))
    }
  }

  /** Somebody left: those who wait look again. */
  announce(name: string): void {
    for (const waiter of this.#waiting.get(name) ?? []) waiter.abort()
  }

  async #takeOrWait(ticket: Ticket, signal: AbortSignal, wait: Waiting['idle']): Promise<boolean> {
    signal.throwIfAborted()
    // Registered before it looks: a place that comes free in between is not missed.
    const called = new AbortController()
    const waiters = this.#waiting.get(ticket.name) ?? new Set()
    this.#waiting.set(ticket.name, waiters.add(called))
    try {
      if (await retryOnOutage(this.#giveUp, () => this.#take(ticket))) return true
      await wait(LOOK_MS * (0.75 + Math.random() / 2), AbortSignal.any([signal, called.signal]))
      return false
    } finally {
      waiters.delete(called)
      if (waiters.size === 0 && this.#waiting.get(ticket.name) === waiters) this.#waiting.delete(ticket.name)
    }
  }

  /** A run that comes back, or has a new owner, has the place in line that it had. */
  #take({ name, most, runId, fence, claim }: Ticket): Promise<boolean> {
    return transaction(this.#db, async (tx) => {
      await lock(tx, name)
      await sql`
        insert into run_limit (name, run_id, fence, claim, most)
        select ${name}, id, fence, claim, ${most} from run
        where id = ${runId} and fence = ${fence} and claim = ${claim} and status = 'running'
        on conflict (name, run_id) do update set fence = excluded.fence, claim = excluded.claim, most = excluded.most,
          kept = false`.execute(tx)
      await passOn(tx, this.#waker, name)
      const { rows } = await sql`
        select 1 from run_limit where name = ${name} and run_id = ${runId} and fence = ${fence} and claim = ${claim} and held`.execute(
        tx,
      )
      return rows.length > 0
    })
  }

  #release({ name, runId, fence, claim }: Ticket): Promise<void> {
    return transaction(this.#db, async (tx) => {
      await lock(tx, name)
      await sql`
        delete from run_limit where name = ${name} and run_id = ${runId} and fence = ${fence} and claim = ${claim}`.execute(
        tx,
      )
      await passOn(tx, this.#waker, name)
      await sql`select pg_notify(${RUN_CHANNEL}, ${`limit ${name}`})`.execute(tx)
    })
  }
}

/** A mutex of all processes, until the end of the transaction. */
const lock = (tx: Tx, name: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`run limit ${name}`}, 0))`.execute(tx)

/** Free places go to those who have waited longest; whoever is parked for one is called. */
async function passOn(tx: Tx, waker: Waker, name: string): Promise<void> {
  // A ticket without a claim is of a build that draws none; there the fence has to do.
  await sql`
    delete from run_limit t where name = ${name} and not exists (
      select 1 from run r where r.id = t.run_id and (
        (r.status = 'running' and r.fence = t.fence and (t.claim is null or r.claim = t.claim))
        or (t.kept and r.status in ('running', 'parked'))))`.execute(tx)
  await sql`
    update run_limit set held = true where name = ${name} and run_id in (
      select run_id from run_limit where name = ${name} and not held order by position
      limit (select greatest(0, max(most) - count(*) filter (where held)) from run_limit where name = ${name}))`.execute(
    tx,
  )
  const { rows } = await sql<{ lane: string }>`
    update run r set status = 'running', wake_at = null from run_limit t
    where t.name = ${name} and t.held and t.kept and r.id = t.run_id and r.status = 'parked' and r.gate is null
    returning r.lane`.execute(tx)
  for (const { lane } of rows) await waker.wake(tx, lane)
}

/** In the transaction that parks a run. A place that came free a moment ago calls it back at once, if it waits for no other. */
export async function keepTickets(tx: Tx, waker: Waker, { id, lane }: { id: string; lane: string }): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from run_limit where run_id = ${id} order by name`.execute(
    tx,
  )
  for (const { name } of rows) {
    await lock(tx, name)
    await sql`update run_limit set kept = true where name = ${name} and run_id = ${id}`.execute(tx)
  }
  const { rows: called } = await sql`
    update run set status = 'running', wake_at = null where id = ${id} and (
      select bool_and(held) from run_limit where run_id = ${id}) returning 1`.execute(tx)
  if (called.length > 0) await waker.wake(tx, lane)
}

/** Places that nobody passed on, because whoever held them died or ended otherwise. */
export async function passOnAll(db: Database, waker: Waker, most: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select distinct name from run_limit where not held or kept limit ${most}`.execute(db)
  for (const { name } of rows) {
    await transaction(db, async (tx) => {
      await lock(tx, name)
      await passOn(tx, waker, name)
      await sql`select pg_notify(${RUN_CHANNEL}, ${`limit ${name}`})`.execute(tx)
    })
  }
}
