import type { Tx } from '../db/database.ts'
import { URGENCY } from './enqueue.ts'
import { Interlude } from './interlude.ts'
import type { Journal } from './journal.ts'
import type { Ownership } from './ownership.ts'
import { sleep } from './patience.ts'
import type { Action, Run, StepOptions } from './steps.ts'

/** Whoever gets a place is called; this is for a call that nobody made. */
const LIMIT_REST_MS = 10 * 60_000

/** Ends a segment: a pipeline that catches one meets it again at its next step. */
class Parked extends Error {}
class Unwinding extends Error {}

export type Undo = { name: string; undo: NonNullable<StepOptions<unknown>['undo']> }

/** What a pipeline holds in its hands; `execute-run.ts` drives it. */
export class OwnedRun implements Run {
  readonly id: string
  readonly orgId: string
  readonly lane: string
  readonly input: unknown
  readonly version: number
  readonly fence: number
  readonly claim: string
  readonly signal: AbortSignal
  /** In the order the pipeline came by. */
  readonly undos: Undo[] = []
  readonly #ownership: Ownership
  readonly #journal: Journal
  readonly #unwinding = new AbortController()
  readonly #names = new Set<string>()
  readonly #limits = new Set<string>()
  /** Steps under way that wait for something. */
  #idling = 0
  #abortedAt: number | undefined

  constructor(ownership: Ownership, journal: Journal) {
    this.id = ownership.id
    this.orgId = ownership.orgId
    this.lane = ownership.lane
    this.input = ownership.input
    this.version = ownership.version
    this.fence = ownership.fence
    this.claim = ownership.claim
    this.#ownership = ownership
    this.#journal = journal
    this.signal = AbortSignal.any([ownership.stopped, ownership.cancelled, this.#unwinding.signal])
    const note = () => {
      this.#abortedAt = performance.now()
    }
    if (this.signal.aborted) note()
    this.signal.addEventListener('abort', note, { once: true })
  }

  abortedForMs(): number {
    return this.#abortedAt === undefined ? 0 : performance.now() - this.#abortedAt
  }

  async step<T>(name: string, action: Action<T>, options: StepOptions<T> = {}): Promise<T> {
    if (this.#names.has(name)) throw new Error(`The step ${name} is there twice.`)
    this.#names.add(name)
    const seen = this.#journal.get(name)
    const barrier = this.barrier()
    // Never started: nothing to undo.
    if (!seen && barrier) throw barrier
    if (options.undo) this.undos.push({ name, undo: options.undo as Undo['undo'] })
    if (seen?.ended) return seen.output as T
    if (barrier) throw barrier
    return this.#journal.perform(name, this.signal, () => action(this.signal), options)
  }

  async gate<Answer>(name: string, options: { onPark?(tx: Tx): Promise<unknown> } = {}): Promise<Answer> {
    const { answers } = this.#ownership.claimed
    if (Object.hasOwn(answers, name)) return answers[name] as Answer
    await this.#journal.settled()
    const barrier = this.barrier()
    if (barrier) throw barrier
    await this.#ownership.close({ status: 'parked', gate: name, attempts: 0 }, async (tx) => options.onPark?.(tx))
    throw new Parked()
  }

  async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#ownership.over) throw new Parked()
    return this.#ownership.commit({}, work)
  }

  assertOwned(): Promise<void> {
    return this.write(async () => {})
  }

  begun(step: string): boolean {
    return this.#journal.get(step) !== undefined
  }

  since(step: string): Date | undefined {
    return this.#journal.get(step)?.since
  }

  async rest(ms: number, signal: AbortSignal): Promise<void> {
    await this.#idle(ms, signal)
    signal.throwIfAborted()
  }

  async takeTime(): Promise<void> {
    if (this.#ownership.claimed.urgency === URGENCY.usual) return
    this.#ownership.stop(Interlude.usual())
    throw this.#ownership.stopped.reason
  }

  /** When every step that is under way has nothing to do, the run has: then it needs no worker. */
  async #idle(ms: number, signal: AbortSignal, parkMs = ms): Promise<void> {
    this.#idling++
    if (this.#idling >= this.#journal.underWay) this.#ownership.stop(Interlude.rest(parkMs))
    await sleep(ms, AbortSignal.any([signal, this.signal]))
    this.#idling--
  }

  async limit<T>(name: string, most: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#limits.has(name)) throw new Error(`This run holds ${name} already.`)
    this.#limits.add(name)
    const ticket = { name, most, runId: this.id, fence: this.fence, claim: this.claim }
    const idle = (ms: number, called: AbortSignal) => this.#idle(ms, called, LIMIT_REST_MS)
    const isParking = () => this.#ownership.stopped.reason instanceof Interlude
    const held = this.#ownership.parts.limits.hold(ticket, signal, work, { idle, isParking })
    return held.finally(() => this.#limits.delete(name))
  }

  /** No new step from here on. */
  turnBack(): void {
    this.#unwinding.abort(new Unwinding())
  }

  /** What keeps the pipeline from going on. */
  barrier(): Error | undefined {
    if (this.#ownership.over) return new Parked()
    return this.signal.aborted ? this.signal.reason : undefined
  }
}
