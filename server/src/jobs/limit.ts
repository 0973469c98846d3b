import { sql } from 'kysely'
import { type Database, type Tx, transaction } from '../db/database.ts'
import { RUN_CHANNEL } from './enqueue.ts'
import { patiently, sleep } from './patience.ts'
import type { Claim } from './steps.ts'

/** A release is announced; this is for one that nobody announced, because its owner died. */
const LOOK_MS = 1000

type Ticket = Claim & { name: string; most: number; runId: string }

/**
 * At most n runs at once per name, over all processes, first come first served. A ticket is good while its run is
 * running under the ticket's claim: it needs no lease of its own, and dies with the ownership of the run.
 */
export class Limits {
  readonly #db: Database
  readonly #giveUp: AbortSignal
  readonly #waiting = new Map<string, Set<AbortController>>()

  constructor(db: Database, giveUp: AbortSignal) {
    this.#db = db
    this.#giveUp = giveUp
  }

  async hold<T>(ticket: Ticket, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      for (;;) {
        signal.throwIfAborted()
        if (await this.#takeOrWait(ticket, signal)) break
      }
      signal.throwIfAborted()
      return await work()
    } finally {
      await patiently(this.#giveUp, () => this.#release(ticket))
    }
  }

  /** Somebody left: those who wait look again. */
  announce(name: string): void {
    for (const waiter of this.#waiting.get(name) ?? []) waiter.abort()
  }

  async #takeOrWait(ticket: Ticket, signal: AbortSignal): Promise<boolean> {
    // Registered before it looks: a place that comes free in between is not missed.
    const called = new AbortController()
    const waiters = this.#waiting.get(ticket.name) ?? new Set()
    this.#waiting.set(ticket.name, waiters.add(called))
    try {
      if (await patiently(this.#giveUp, () => this.#take(ticket))) return true
      await sleep(LOOK_MS * (0.75 + Math.random() / 2), AbortSignal.any([signal, called.signal]))
      return false
    } finally {
      waiters.delete(called)
      if (waiters.size === 0 && this.#waiting.get(ticket.name) === waiters) this.#waiting.delete(ticket.name)
    }
  }

  #take(ticket: Ticket): Promise<boolean> {
    const { name, most, runId, fence, claim } = ticket
    return transaction(this.#db, async (tx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`run limit ${name}`}, 0))`.execute(tx)
      await clearDead(tx, name)
      await sql`
        insert into run_limit (name, run_id, fence, claim)
        select ${name}, id, fence, claim from run
        where id = ${runId} and fence = ${fence} and claim = ${claim} and status = 'running'
        on conflict do nothing`.execute(tx)
      // Those who came earlier and still wait have their place kept.
      const { rows } = await sql`
        update run_limit t set held = true where name = ${name} and run_id = ${runId} and fence = ${fence}
          and claim = ${claim} and (held or (
          select count(*) from run_limit o where o.name = t.name and o.run_id <> t.run_id
          and (o.held or o.position < t.position)) < ${most})
        returning 1`.execute(tx)
      return rows.length > 0
    })
  }

  async #release({ name, runId, fence, claim }: Ticket): Promise<void> {
    await sql`
      with gone as (
        delete from run_limit where name = ${name} and run_id = ${runId} and fence = ${fence} and claim = ${claim}
        returning 1)
      select pg_notify(${RUN_CHANNEL}, ${`limit ${name}`}) from gone`.execute(this.#db)
  }
}

/** A ticket without a claim is of a build that draws none; there the fence has to do. */
const clearDead = (tx: Tx, name: string) =>
  sql`
  delete from run_limit t where name = ${name} and not exists (
    select 1 from run r where r.id = t.run_id and r.fence = t.fence and (t.claim is null or r.claim = t.claim)
      and r.status = 'running')`.execute(tx)
