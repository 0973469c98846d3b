import type { Database, Tx } from '../db/database.ts'
import { type Change, Fenced, type Written } from './fenced.ts'
import type { Interlude } from './interlude.ts'
import type { Limits } from './limit.ts'
import { Cancelled, LeaseLost, type RunFacts, type ShuttingDown } from './steps.ts'
import { type ClaimedRun, hasQueued } from './store.ts'
import type { Call, Transport } from './transport.ts'

export type RunParts = {
  db: Database
  transport: Transport
  limits: Limits
  /** Aborted when the process no longer waits for anything. */
  giveUp: AbortSignal
  onChange(runId: string): void
  onFailure(runId: string, step: string | undefined, error: unknown): void
}

/** Our hold on a run, from the claim until we close this segment or somebody else takes over. */
export class Ownership implements RunFacts {
  readonly id: string
  readonly orgId: string
  readonly lane: string
  readonly input: unknown
  readonly version: number
  readonly fence: number
  readonly claim: string
  readonly claimed: ClaimedRun
  readonly parts: RunParts
  readonly #call: Call
  readonly #fenced: Fenced
  readonly #stop = new AbortController()
  readonly #cancelled = new AbortController()
  /** Taken over, shutting down, or with nothing to do for now. */
  readonly stopped: AbortSignal = this.#stop.signal
  readonly cancelled: AbortSignal = this.#cancelled.signal
  over = false

  constructor(claimed: ClaimedRun, call: Call, parts: RunParts) {
    this.claimed = claimed
    this.parts = parts
    this.id = claimed.id
    this.orgId = claimed.orgId
    this.lane = claimed.lane
    this.input = claimed.input
    this.version = claimed.version
    this.fence = claimed.fence
    this.claim = claimed.claim
    this.#call = call
    this.#fenced = new Fenced(parts.db, claimed, parts.giveUp, (written) => {
      if (written.cancel) this.cancel()
      parts.onChange(this.id)
    })
    if (claimed.cancel) this.cancel()
    if (call.signal.aborted) this.stop(new LeaseLost())
    call.signal.addEventListener('abort', () => this.stop(new LeaseLost()), { once: true })
  }

  cancel(): void {
    this.#cancelled.abort(new Cancelled())
  }

  stop(reason: LeaseLost | ShuttingDown | Interlude): void {
    this.#stop.abort(reason)
  }

  /** A write of this run. What a refusal says holds for the whole run. */
  async commit<T>(change: Change, work: (tx: Tx, written: Written) => Promise<T>): Promise<T> {
    try {
      return await this.#fenced.commit(change, work)
    } catch (error) {
      if (error instanceof LeaseLost) this.stop(error)
      if (error instanceof Cancelled) this.cancel()
      throw error
    }
  }

  /** State, the caller's rows, the end of our call and the next one in one transaction: none of them can be lost. */
  async close(change: Change, work: (tx: Tx) => Promise<unknown>): Promise<void> {
    const { transport } = this.parts
    await this.commit(change, async (tx) => {
      await work(tx)
      await transport.complete(tx, this.#call)
      // Handed back: somebody else goes on. Over: the next one of the lane.
      const follow = change.status === undefined || (change.status !== 'parked' && (await hasQueued(tx, this.lane)))
      if (follow) await transport.wake(tx, this.lane)
    })
    this.over = true
  }
}
