import { AsyncLocalStorage } from 'node:async_hooks'
import { type RawBuilder, sql } from 'kysely'
import { type Database, type Tx, transaction } from '../db/database.ts'
import type { RunReason, RunStatus } from '../db/tables.ts'
import { retryOnOutage } from './patience.ts'
import { Cancelled, type Claim, LeaseLost } from './steps.ts'

export type Change = {
  status?: RunStatus
  gate?: string
  attempts?: number
  outcome?: RawBuilder<'failed' | 'cancelled'>
  outcomeReason?: RawBuilder<string | null>
  finishedAt?: RawBuilder<Date>
  urgency?: number
  wakeAt?: RawBuilder<Date>
}
export type Written = { cancel: boolean; outcome: 'failed' | 'cancelled' | null; outcomeReason: RunReason | null }

type Owned = Claim & { id: string; writes: number }

/**
 * Every write to a run we own: one transaction at a time, refused once somebody else has claimed it. The count of writes
 * tells a retry after a lost connection whether the first try was committed, so each one happens exactly once.
 */
export class Fenced {
  readonly #db: Database
  readonly #owned: Owned
  readonly #giveUp: AbortSignal
  readonly #onWritten: (written: Written) => void
  #turn: Promise<unknown> = Promise.resolve()

  constructor(db: Database, owned: Owned, giveUp: AbortSignal, onWritten: (written: Written) => void) {
    this.#db = db
    this.#owned = { ...owned }
    this.#giveUp = giveUp
    this.#onWritten = onWritten
  }

  /** Throws LeaseLost when the run is no longer ours, Cancelled when a cancel was accepted that forbids the change. */
  async commit<T>(change: Change, work: (tx: Tx, written: Written) => Promise<T>): Promise<T> {
    if (writing.getStore()?.by === this) throw new Error('A fenced write inside a fenced write would wait for itself.')
    const mine = this.#turn.then(async () => {
      const mark: Mark = { by: this }
      return writing.run(mark, () => this.#commit(change, work)).finally(() => delete mark.by)
    })
    this.#turn = mine.catch(() => {})
    return mine
  }

  async #commit<T>(change: Change, work: (tx: Tx, written: Written) => Promise<T>): Promise<T> {
    let tried: { written: Written; result: T } | undefined
    const done = await retryOnOutage(this.#giveUp, () =>
      transaction(this.#db, async (tx) => {
        const written = await this.#update(tx, change)
        if (!written) {
          if (tried && (await this.#wasCommitted(tx))) return tried
          throw await this.#refusal(tx)
        }
        tried = { written, result: await work(tx, written) }
        return tried
      }),
    )
    this.#owned.writes += 1
    this.#onWritten(done.written)
    return done.result
  }

  #update(tx: Tx, change: Change): Promise<Written | undefined> {
    const { id, fence, claim, writes } = this.#owned
    // An accepted cancel wins over parking and over success. What is being undone already may rest all the same.
    const parks = change.status === 'parked'
    const succeeds = change.status === 'succeeded'
    return tx
      .updateTable('run')
      .set({ ...change, writes: writes + 1 })
      .where('id', '=', id)
      .where('fence', '=', fence)
      .where('claim', '=', claim)
      .where('status', '=', 'running')
      .where('writes', '=', writes)
      .$if(succeeds, (query) => query.where('cancel', '=', false))
      .$if(parks, (query) => query.where((eb) => eb.or([eb('cancel', '=', false), eb('outcome', 'is not', null)])))
      .returning(['cancel', 'outcome', 'outcomeReason'])
      .executeTakeFirst()
  }

  async #wasCommitted(tx: Tx): Promise<boolean> {
    const now = await this.#now(tx)
    return isOurs(this.#owned, now) && now.writes === this.#owned.writes + 1
  }

  async #refusal(tx: Tx): Promise<Error> {
    const now = await this.#now(tx)
    const ours = isOurs(this.#owned, now) && now.writes === this.#owned.writes && now.status === 'running'
    return ours && now.cancel ? new Cancelled() : new LeaseLost()
  }

  #now(tx: Tx) {
    const columns = ['fence', 'claim', 'writes', 'status', 'cancel'] as const
    return tx.selectFrom('run').select(columns).where('id', '=', this.#owned.id).executeTakeFirst()
  }
}

/** Whether the row still carries this claim. */
export const isOurs = <Row extends { fence: number; claim: string | null }>(
  { fence, claim }: Claim,
  now: Row | undefined,
): now is Row => now?.fence === fence && now.claim === claim

/** Emptied when the write is over: timers started inside of it carry the mark along. */
type Mark = { by?: Fenced }
const writing = new AsyncLocalStorage<Mark>()

/** The moment of the write by the database's clock, not of its transaction's start. */
export const clock = sql<Date>`clock_timestamp()`
