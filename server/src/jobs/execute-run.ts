import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import type { RunReason } from '../db/tables.ts'
import type { Change } from './fenced.ts'
import { clock } from './fenced.ts'
import { Interlude } from './interlude.ts'
import { Journal } from './journal.ts'
import { keepTickets } from './limit.ts'
import type { Ownership } from './ownership.ts'
import { isOutage } from './patience.ts'
import { reasonOf } from './reason.ts'
import { OwnedRun, type Undo } from './run.ts'
import { Cancelled, type End, LeaseLost, type Pipeline, UNDO_PENDING } from './steps.ts'

/** Claims without a finished step in between: then it is the run that kills its workers. */
const MOST_ATTEMPTS = 5
const ABANDONED: RunReason = {
  code: 'run_abandoned',
  message: `The run was given up after ${MOST_ATTEMPTS} attempts without progress.`,
  hint: 'The server’s log around the time of the attempts says what ended them.',
}

/**
 * Carries a run to its end, to a gate, or to the next owner. Rejects only for what is not the run's fault; its call is
 * then tried again, here or elsewhere.
 */
export async function executeRun(ownership: Ownership, pipeline: Pipeline): Promise<void> {
  const executor = new RunExecutor(ownership, pipeline)
  try {
    await executor.execute()
  } catch (error) {
    if (ownership.over || error instanceof LeaseLost || ownership.stopped.reason instanceof LeaseLost) return
    const leaving = ownership.stopped.aborted
    if (!leaving && !isOutage(error)) throw error
    const { reason } = ownership.stopped
    if (reason instanceof Interlude) return executor.pause(reason)
    // Going away is not the run's fault; a database that fails in the middle of a step may be.
    await executor.handBack(leaving ? { attempts: 0 } : {})
  }
}

class RunExecutor {
  readonly #ownership: Ownership
  readonly #pipeline: Pipeline
  readonly #journal: Journal
  readonly #run: OwnedRun
  #decided: { outcome: 'failed' | 'cancelled'; reason: RunReason | null } | undefined

  constructor(ownership: Ownership, pipeline: Pipeline) {
    this.#ownership = ownership
    this.#pipeline = pipeline
    this.#journal = new Journal(ownership)
    this.#run = new OwnedRun(ownership, this.#journal)
    const { outcome, outcomeReason: reason } = ownership.claimed
    if (outcome) this.#decided = { outcome, reason }
  }

  async execute(): Promise<void> {
    await this.#journal.load()
    if (this.#ownership.claimed.attempts > MOST_ATTEMPTS) {
      // Not even undoing gets anywhere.
      if (this.#decided) return this.#finish(this.#decided.outcome, this.#journal.leftovers())
      await this.#decide('failed', ABANDONED)
    }
    if (this.#decided) this.#run.turnBack()
    const obstacle = await this.#forward()
    if (obstacle) await this.#backward(obstacle.error)
  }

  async handBack(change: Change, work: (tx: Tx) => Promise<unknown> = async () => {}): Promise<void> {
    await this.#journal.settled()
    await this.#ownership.close(change, work).catch((error) => {
      if (!(error instanceof LeaseLost)) throw error
    })
  }

  /** An accepted cancel wins: then somebody goes on at once, and undoes. */
  async pause({ change }: Interlude): Promise<void> {
    const { parts } = this.#ownership
    const keep = (tx: Tx) =>
      change.status === 'parked' ? keepTickets(tx, parts.transport, this.#ownership) : undefined
    try {
      await this.handBack(change, async (tx) => keep(tx))
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error
      await this.handBack({ attempts: 0 })
    }
  }

  /** Nothing: the run has succeeded. */
  async #forward(): Promise<{ error: unknown } | undefined> {
    try {
      await this.#pipeline.run(this.#run)
      await this.#journal.settled()
      const barrier = this.#run.barrier()
      if (barrier) return { error: barrier }
      await this.#finish('succeeded')
      return undefined
    } catch (error) {
      return { error }
    }
  }

  async #backward(error: unknown): Promise<void> {
    const { id, stopped, cancelled, parts } = this.#ownership
    this.#run.turnBack()
    await this.#journal.settled()
    if (this.#ownership.over) return
    stopped.throwIfAborted()
    if (!this.#decided) {
      if (isOutage(error)) throw error
      const { latest } = this.#journal
      if (!cancelled.aborted) parts.onFailure(id, latest, error)
      await this.#decide(cancelled.aborted ? 'cancelled' : 'failed', reasonOf(error, latest, this.#pipeline))
    }
    const leftovers: string[] = []
    for (const step of this.#run.undos.toReversed()) if (!(await this.#undo(step))) leftovers.push(step.name)
    await this.#finish(this.#decided?.outcome ?? 'failed', leftovers)
  }

  /** Written before the first undo: a new owner replays the journal, meets the outcome and goes on backwards. */
  async #decide(wanted: 'failed' | 'cancelled', why: RunReason): Promise<void> {
    // A cancel accepted a moment ago, and not heard of yet, has been promised its end.
    const cancelled = sql<boolean>`(cancel or ${wanted === 'cancelled'})`
    const change: Change = {
      outcome: sql`case when ${cancelled} then 'cancelled' else 'failed' end`,
      outcomeReason: sql`case when ${cancelled} then null else ${JSON.stringify(why)}::jsonb end`,
      attempts: 0,
    }
    this.#decided = await this.#ownership.commit(change, async (tx, { outcome, outcomeReason: reason }) => {
      const decided = { outcome: outcome ?? wanted, reason }
      await this.#pipeline.onUnwind?.(tx, this.#ownership, { ...decided, leftovers: [] })
      return decided
    })
  }

  /** Whether it is undone. A failing undo is written down, and the rest is undone all the same. */
  async #undo({ name, undo }: Undo): Promise<boolean> {
    const { id, stopped, parts } = this.#ownership
    const step = `undo:${name}`
    const seen = this.#journal.get(step)
    if (seen?.ended) return seen.output === null
    stopped.throwIfAborted()
    const done = this.#journal.get(name)
    const left = await this.#journal.perform(step, stopped, async () => {
      try {
        const said = await undo(stopped, done?.ended ? done.output : undefined, this.#decided?.outcome ?? 'failed')
        return said === UNDO_PENDING ? { left: true } : null
      } catch (error) {
        stopped.throwIfAborted()
        if (isOutage(error)) throw error
        parts.onFailure(id, step, error)
        return { failed: reasonOf(error, step, this.#pipeline) }
      }
    })
    return left === null
  }

  #finish(outcome: End['outcome'], leftovers: string[] = []): Promise<void> {
    const reason = outcome === 'failed' ? (this.#decided?.reason ?? null) : null
    const end: End = { outcome, reason, leftovers }
    return this.#ownership.close({ status: outcome, finishedAt: clock }, (tx) =>
      this.#pipeline.onEnd(tx, this.#ownership, end),
    )
  }
}
