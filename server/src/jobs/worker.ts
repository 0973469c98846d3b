import { hostname } from 'node:os'
import { type Database, transaction } from '../db/database.ts'
import { Refusal } from '../errors.ts'
import { RUN_CHANNEL } from './enqueue.ts'
import { executeRun } from './execute-run.ts'
import { Limits } from './limit.ts'
import type { Listener } from './listener.ts'
import type { Log } from './log.ts'
import { Ownership, type RunParts } from './ownership.ts'
import { within } from './patience.ts'
import { LeaseLost, type Pipeline, ShuttingDown } from './steps.ts'
import { claimRun } from './store.ts'
import type { Call, Slots, Transport } from './transport.ts'
import { reap, wakeRested, watch } from './watch.ts'

/** How long a step may take to obey. A deaf one is left to whoever finds its heart no longer beating. */
const DRAIN_MS = 10_000

export type WorkerOptions = {
  db: Database
  transport: Transport
  listener: Listener
  pipelines: Record<string, Pipeline>
  /** Runs at once in this process. */
  slots: Slots
  log: Log
  /** After every committed change of a run. */
  onChange?(runId: string): void
}

export type Worker = {
  /** Takes no more work, aborts the steps, hands the runs to other workers. */
  drain(): Promise<void>
  /** The same, but writes nothing: the database has become another one, and its runs are somebody's there. */
  drop(): Promise<void>
}

/** Answers calls, watches its runs, finds dead workers and lost calls. The transport stays its owner's to close. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { db, transport, listener, pipelines, log, onChange = () => {} } = options
  const kinds = Object.keys(pipelines)
  const versions = Object.fromEntries(Object.entries(pipelines).map(([kind, { version = 1 }]) => [kind, version]))
  const owner = `${hostname()} ${process.pid}`
  const runs = new Set<Ownership>()
  const draining = new AbortController()
  const giveUp = new AbortController()
  const limits = new Limits(db, transport, giveUp.signal)
  const parts: RunParts = { db, transport, limits, giveUp: giveUp.signal, onChange, onFailure: tell(log) }

  const handle = async (call: Call, least: number) => {
    if (draining.signal.aborted) return passOn(db, transport, call)
    const claimed = await claimRun(db, call.lane, kinds, owner, least, versions)
    const pipeline = claimed && pipelines[claimed.kind]
    // The lane is parked, has nothing left to do, or is not for us.
    if (!pipeline) return
    const run = new Ownership(claimed, call, parts)
    runs.add(run)
    if (draining.signal.aborted) run.stop(new ShuttingDown())
    await executeRun(run, pipeline).finally(() => runs.delete(run))
  }

  const ear = await listener.listen(RUN_CHANNEL, (payload) => {
    const [word, about] = split(payload)
    if (word === 'limit') limits.announce(about)
    for (const run of runs) if (word === 'cancel' && run.id === about) run.cancel()
  })
  const work = await transport.work(options.slots, handle)
  const watching = { db, transport, kinds, versions, runs, log, signal: draining.signal }
  const loops = Promise.all([watch(watching), reap(watching), wakeRested(watching)])

  const end = async (why: LeaseLost | ShuttingDown) => {
    draining.abort()
    const idle = work.stop().catch(() => {})
    for (const run of runs) run.stop(why)
    await within(DRAIN_MS, Promise.all([idle, loops]))
    if (runs.size > 0) log.warn({ runs: [...runs].map((run) => run.id) }, 'steps did not stop in time')
    giveUp.abort()
    await ear.close()
  }
  return { drain: () => end(new ShuttingDown()), drop: () => end(new LeaseLost()) }
}

/** A Refusal is the run's own affair; anything else is ours. */
const tell =
  (log: Log): RunParts['onFailure'] =>
  (run, step, error) =>
    error instanceof Refusal
      ? log.info({ run, step, code: error.code }, 'a run failed')
      : log.error({ err: error, run, step }, 'a run failed')

/** Fetched while stopping: somebody else is told at once. */
const passOn = (db: Database, transport: Transport, call: Call) =>
  transaction(db, async (tx) => {
    await transport.complete(tx, call)
    await transport.wake(tx, call.lane)
  })

function split(payload: string): [word: string, about: string] {
  const space = payload.indexOf(' ')
  return [payload.slice(0, space), payload.slice(space + 1)]
}
