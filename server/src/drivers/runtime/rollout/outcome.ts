import type { TaskAnswer } from '../../engine/answers.ts'
import type { Listening, PortWait } from '../watch/listening.ts'

/** How a rollout ended. */
export type Outcome = {
  outcome:
    | 'healthy'
    /** The engine went back by itself, and the restored version runs. */
    | 'rolled-back'
    | 'rollback-failed'
    | 'never-came-up'
    /** It came up and then died again and again. */
    | 'unstable'
    | 'paused'
    /** Nothing moves any more: no node fits, or the deadline has passed. */
    | 'stuck'
    /** Another deployment took its place. */
    | 'superseded'
    | 'removed'
  /** Why the first task failed; null where none did. */
  cause: TaskFailure | null
  /** Tasks of this deployment that died, engine restarts aside. */
  failures: number
  /** The deployment that the engine went back to. */
  restored: string | null
  /** The engine's own words about the rollout. */
  message: string | null
}

export type TaskFailure = {
  reason:
    | 'exit'
    /** Its program is not there, or is none for this machine. */
    | 'cannot-start'
    | 'out-of-memory'
    /** Nothing that can be reached listens on the port; `listening` tells what does. */
    | 'port-closed'
    | 'health-check'
    | 'image-missing'
    | 'disk-full'
    | 'no-resources'
    | 'no-suitable-node'
    | 'port-taken'
    | 'engine-restart'
    /** What an engine left behind when it ended keeps the network from being used. */
    | 'network-stuck'
    | 'rejected'
    | 'timeout'
    /** The engine could not be asked for too long. */
    | 'no-answer'
  /** One line for people: "code 3", "GET /healthz answered 500 Internal Server Error". */
  detail: string
  taskId: string | null
  slot: number | null
  node: string | null
  exitCode: number | null
  listening: Listening | null
  /** The task's last lines, oldest first. */
  lines: string[]
}

/** What looks at the engine lead to; with the causes it becomes an outcome. */
export type Verdict = Pick<Outcome, 'outcome'> & {
  restored?: string | null
  message?: string
  /** The task that finds no node. */
  waiting?: TaskAnswer
}

export type RolloutState = {
  /** What the engine says about the update; null before and without one. */
  update: string | null
  /** Tasks of this deployment by their state. */
  tasks: Record<string, number>
  running: number
  wanted: number
  /** Tasks of other deployments that are still meant to run. */
  old: number
  /** While a task has been started and its port is not open. */
  waitingFor?: PortWait
}

export type WatchOptions = {
  deployment: string
  /** From `apply` and `restart`: tell this write from another of the same deployment. */
  specHash?: string
  generation?: number
  signal: AbortSignal
  /** How long all tasks must run. Without it: the monitor period after a create, 1 s after the engine's own watch. */
  stableMs?: number
  /** How long a task may find no node before the rollout counts as stuck. */
  pendingMs?: number
  deadlineMs?: number
  /** How long the engine may give no answer, as while it is restarted. */
  awayMs?: number
  mostFailures?: number
  /** The same after the engine has finished an update: what it replaced is known to be good, so one may be enough. */
  mostRelapses?: number
  /** One that listens on another port when its time to start is over is not tried again: for what never ran before. */
  portDecides?: boolean
  /** `upMs`: how long the first task took until it was up, by the engine's clock. */
  onState?: (state: RolloutState, upMs: number | null) => void
}
