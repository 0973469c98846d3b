import type Docker from 'dockerode'
import { SshFailure } from '../../ssh/failure.ts'
import type { ServiceAnswer, TaskAnswer } from '../answers.ts'
import { pause, statusOf } from '../ask.ts'
import type { Connections } from '../connections.ts'
import { EngineFailure, type EngineTarget } from '../engine.ts'
import { findService, serviceTasks } from '../find.ts'
import type { ServiceKey } from '../labels.ts'
import { diagnose } from './diagnose.ts'
import { identityOf } from './identity.ts'
import { isAfter, isDead, isOurs, rolloutJudge, stateOf, type Verdict } from './judge.ts'
import type { Outcome, TaskFailure, WatchOptions } from './outcome.ts'

type Watched = { connections: Connections; engine: EngineTarget; service: ServiceKey & { instance: string } }

/** The engine's events carry no task states and are lost while it restarts, so it is asked again and again. */
const POLL_MS = 400
const LOOK_MS = 20_000
/** Deaths of long ago say nothing about this rollout. */
const RECENT_MS = 15 * 60_000

/** Follows one rollout to its end, through restarts of the engine and of the caller. */
export async function watchRollout({ connections, engine, service }: Watched, options: WatchOptions): Promise<Outcome> {
  const { signal, deadlineMs = 300_000, pendingMs = 15_000, mostFailures = 3, onState } = options
  const end = performance.now() + deadlineMs
  const judge = rolloutJudge({ ...options, pendingMs, mostFailures })
  const failures = new Map<string, TaskFailure>()
  let last = ''
  let missing = 0

  const look = async (docker: Docker, within: AbortSignal): Promise<Verdict | null> => {
    const found = await findService(docker, service, within)
    missing = found ? 0 : missing + 1
    if (!found) return missing > 1 ? { outcome: 'removed' } : null
    const tasks = await serviceTasks(docker, found, within)
    const state = stateOf(found, tasks)
    if (last !== JSON.stringify(state)) onState?.(state)
    last = JSON.stringify(state)
    // At once: the engine keeps five dead tasks per slot, and their containers not for long.
    for (const task of newlyDead(found, tasks, options).filter(({ ID }) => !failures.has(ID))) {
      failures.set(task.ID, await diagnose(docker, task, within))
      judge.disturb()
    }
    const verdict = judge.judge({ service: found, tasks, failed: counted(failures).length, at: performance.now() })
    if (verdict?.waiting) failures.set(verdict.waiting.ID, await diagnose(docker, verdict.waiting, within))
    return verdict
  }

  for (; performance.now() < end; await pause(POLL_MS, signal)) {
    try {
      const limits = { signal, deadlineMs: LOOK_MS }
      const verdict = await connections.use(engine, limits, ({ docker }, within) => look(docker, within))
      if (verdict) return outcome(verdict, failures)
    } catch (error) {
      signal.throwIfAborted()
      if (isHopeless(error)) throw error
      judge.disturb()
      last = `no answer: ${error instanceof Error ? error.message : error}`
    }
  }
  return outcome({ outcome: 'stuck' }, failures, last)
}

/** Dead tasks of the watched deployment that belong to this rollout. */
function newlyDead(service: ServiceAnswer, tasks: TaskAnswer[], options: WatchOptions): TaskAnswer[] {
  const ours = isOurs(options, identityOf(service.Spec.TaskTemplate))
  const start = ours ? service.UpdateStatus?.StartedAt : undefined
  return tasks.filter(
    (task) =>
      isDead(task) &&
      isOurs(options, identityOf(task.Spec)) &&
      isAfter(task.Status.Timestamp, start) &&
      isAfter(task.Status.Timestamp, new Date(Date.now() - RECENT_MS).toISOString()),
  )
}

function counted(failures: Map<string, TaskFailure>): TaskFailure[] {
  return [...failures.values()].filter(({ reason }) => reason !== 'engine-restart')
}

function outcome(verdict: Verdict, failures: Map<string, TaskFailure>, unanswered = ''): Outcome {
  const all = counted(failures)
  const waiting = verdict.waiting && failures.get(verdict.waiting.ID)
  const timeout: TaskFailure | null =
    unanswered === ''
      ? null
      : { reason: 'timeout', detail: unanswered, taskId: null, slot: null, node: null, exitCode: null, lines: [] }
  const { restored = null, message = '' } = verdict
  return {
    outcome: verdict.outcome,
    cause: verdict.outcome === 'healthy' ? null : (waiting ?? all[0] ?? [...failures.values()][0] ?? timeout),
    failures: waiting ? all.length - 1 : all.length,
    restored,
    message: message === '' ? null : message,
  }
}

/** Asking again will not help: a key that is refused, a socket without permission. */
function isHopeless(error: unknown): boolean {
  if (error instanceof EngineFailure) return error.code === 'engine_denied' || error.code === 'engine_too_old'
  if (error instanceof SshFailure) {
    return ['host_key_unknown', 'host_key_mismatch', 'auth_failed', 'key_unreadable'].includes(error.code)
  }
  // A bug of ours, or a foreign service under the name.
  return statusOf(error) === undefined && !isTransport(error)
}

function isTransport(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^E[A-Z]+$/.test(code)
}
