import type { Tx } from '../db/database.ts'
import type { RunReason } from '../db/tables.ts'

/** What a pipeline is handed: everything it does that must not be lost or done twice goes through here. */
export type Run<Input = unknown> = RunFacts<Input> & {
  /** Aborted when somebody cancels, when another worker took over, and when this process shuts down. */
  readonly signal: AbortSignal
  /** For how long it has been aborted; 0 for one that is not. */
  abortedForMs(): number
  /**
   * Runs `action` unless the journal has its result, and returns what a replay would return: the output as JSON.
   * A name is used once per run. Started but unfinished steps are repeated by the next owner, and undone too.
   */
  step<Output>(name: string, action: Action<Output>, options?: StepOptions<Output>): Promise<Output>
  /** The answer, or the end of this segment: a parked run holds its lane, but no job, slot or process. */
  gate<Answer = unknown>(name: string, options?: { onPark?(tx: Tx): Promise<unknown> }): Promise<Answer>
  /** A transaction that commits only if this run is still ours, and exactly once even over a database outage. */
  write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** The fencing check alone, between a look and a change that is not the database's; rejects when the run has another owner. */
  assertOwned(): Promise<void>
  /** Whether some owner has started this step: what was decided then is not decided again. */
  begun(step: string): boolean
  /** When an owner before this one began a step that it did not finish. */
  since(step: string): Date | undefined
  /**
   * Inside a step or its undo: nothing to do for so long. When all steps under way say so, the run is parked: it keeps its lane and needs
   * no worker, and the steps are begun again after that. Otherwise this waits.
   */
  rest(ms: number, signal: AbortSignal): Promise<void>
  /** Between steps: what comes now may take long. A run that was urgent goes on in the usual line. */
  takeTime(): Promise<void>
  /**
   * Holds one of `most` places of that name, over all processes, while `work` runs. For use inside a step. Whoever waits for
   * one rests.
   */
  limit<Result>(name: string, most: number, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>
}

export type RunFacts<Input = unknown> = Claim & {
  readonly id: string
  readonly orgId: string
  readonly lane: string
  readonly input: Input
  /** Of its kind when it was begun. */
  readonly version: number
}

/**
 * The fencing token of an owner; every write of it asks for both. The count alone is not enough: a replica that is
 * promoted without the last claims gives the same numbers again, to other owners.
 */
export type Claim = {
  /** Grows with every owner; goes into the labels of what a step makes outside. */
  readonly fence: number
  /** Drawn at random with every claim. */
  readonly claim: string
}

export type Action<Output> = (signal: AbortSignal) => Promise<Output>

export type StepOptions<Output> = {
  /**
   * Undoes the action, finished or not. `output` is there if it finished. Only a takeover or shutdown aborts it. One that
   * answers UNDO_PENDING has begun what somebody else must finish: its step is among the leftovers, without having failed.
   */
  undo?(signal: AbortSignal, output: Output | undefined, because: 'failed' | 'cancelled'): Promise<unknown>
  /** Written with the step's start, once per owner. */
  onStart?(tx: Tx): Promise<unknown>
  /** Written with the step's end. */
  onEnd?(tx: Tx, output: Output): Promise<unknown>
}

export const UNDO_PENDING = 'later'

/** One kind of run. The hooks write the caller's own rows in the transaction that changes the run's. */
export type Pipeline<Input = unknown> = {
  /**
   * Rises when steps or their outputs change so that an older build could not go on with the run. A run keeps the version
   * it was begun as, and both builds may have it in turn: what has changed asks for `run.version`. Submit with the same.
   */
  version?: number
  run(run: Run<Input>): Promise<unknown>
  /** The run will not succeed; what was started is undone now. */
  onUnwind?(tx: Tx, run: RunFacts<Input>, end: End): Promise<unknown>
  /** The run is over. Not called for what ends in `enqueue.ts`: cancelled while queued, superseded. */
  onEnd(tx: Tx, run: RunFacts<Input>, end: End): Promise<unknown>
  /** Words for an error that is no Refusal. */
  explain?(error: Error): RunReason
}

export type End = {
  outcome: 'succeeded' | 'failed' | 'cancelled'
  /** Why it failed. */
  reason: RunReason | null
  /** Steps that could not be undone. */
  leftovers: string[]
}

/** Reasons of an aborted signal. Whoever meets one stops and writes nothing more. */
export class Cancelled extends Error {
  override name = 'Cancelled'
  constructor() {
    super('The run was cancelled.')
  }
}
export class LeaseLost extends Error {
  override name = 'LeaseLost'
  constructor() {
    super('Another worker owns this run.')
  }
}
export class ShuttingDown extends Error {
  override name = 'ShuttingDown'
  constructor() {
    super('This worker is shutting down.')
  }
}
