import type Docker from 'dockerode'
import { isFailure } from '../../../errors.ts'
import type { TaskAnswer } from '../../engine/answers.ts'
import { pause, statusOf } from '../../engine/ask.ts'
import type { Connections } from '../../engine/connections.ts'
import type { EngineFailure, EngineTarget } from '../../engine/engine.ts'
import type { SshFailure } from '../../ssh/failure.ts'
import { findService, serviceTasks } from '../find.ts'
import type { ServiceKey } from '../labels.ts'
import { growth } from '../rollout/grow.ts'
import { currentTasks } from '../rollout/job.ts'
import type { Outcome, TaskFailure, Verdict, WatchOptions } from '../rollout/outcome.ts'
import { lastLines } from '../running/last-lines.ts'
import { deathRecord } from './deaths.ts'
import { diagnose, isAiling } from './diagnose.ts'
import { firstUp } from './first-up.ts'
import { isUp, rolloutJudge, stateOf } from './judge.ts'
import { portLook } from './port-look.ts'

type Watched = { connections: Connections; engine: EngineTarget; service: ServiceKey & { instance: string } }

/** The engine's events carry no task states and are lost while it restarts, so it is asked again and again. */
const POLL_MS = 400
const LOOK_MS = 20_000
const LINES_MS = 4000
/** For how long after the engine is back it still finds containers that ended with it. */
const BACK_MS = 5000

/** Follows one rollout to its end, through restarts of the engine and of the caller. */
export async function watchRollout({ connections, engine, service }: Watched, options: WatchOptions): Promise<Outcome> {
  const { signal, deadlineMs = 300_000, pendingMs = 15_000, mostFailures = 3, onState } = options
  const { awayMs = 180_000 } = options
  const end = performance.now() + deadlineMs
  const judge = rolloutJudge({ ...options, pendingMs, mostFailures })
  const deaths = deathRecord(options)
  const ports = portLook(options)
  const up = firstUp()
  const grow = growth()
  let last = ''
  let missing = 0
  let answered = performance.now()
  let gone = Number.NEGATIVE_INFINITY

  const look = async (docker: Docker, within: AbortSignal): Promise<Outcome | null> => {
    const found = await findService(docker, service, within)
    missing = found ? 0 : missing + 1
    if (!found) return missing > 1 ? outcome({ outcome: 'removed' }, deaths) : null
    const tasks = currentTasks(found, await serviceTasks(docker, found, within))
    const waitingFor = await ports.look(docker, found, tasks, within)
    const state = { ...stateOf(found, tasks, deaths.ended), ...(waitingFor && { waitingFor }) }
    const upMs = await up.look(docker, found, tasks, within)
    if (last !== JSON.stringify(state)) onState?.(state, upMs)
    last = JSON.stringify(state)
    // At once: the engine keeps five dead tasks per place, and their containers not for long.
    for (const task of deaths.unexplained(found, tasks)) {
      const failure = await diagnose(docker, task, within)
      deaths.note(task, performance.now() - gone < BACK_MS ? endedWithEngine(failure) : failure)
      judge.disturb()
    }
    const seen = { failed: deaths.counted().length, hopeless: deaths.hopeless(), ended: deaths.ended }
    const verdict = judge.judge({ service: found, tasks, ...seen, at: performance.now() })
    if (verdict?.outcome === 'healthy' && (await someAiling(docker, tasks, within))) {
      judge.disturb()
      return null
    }
    if (!verdict) await grow(docker, found, state, seen.failed)
    const cause = verdict?.waiting && (await diagnose(docker, verdict.waiting, within))
    return verdict && withLines(docker, outcome(verdict, deaths, cause), deaths, within)
  }

  for (; performance.now() < end; await pause(POLL_MS, signal)) {
    try {
      const limits = { signal, deadlineMs: LOOK_MS }
      const ended = await connections.use(engine, limits, ({ docker }, within) => look(docker, within))
      if (ended) return ended
      answered = performance.now()
    } catch (error) {
      signal.throwIfAborted()
      if (isHopeless(error)) throw error
      judge.disturb()
      if (isFailure(error, 'engine', 'engine_unreachable')) gone = performance.now()
      last = error instanceof Error ? error.message : String(error)
      if (performance.now() - answered > awayMs)
        return outcome({ outcome: 'stuck' }, deaths, because('no-answer', last))
    }
  }
  return outcome({ outcome: 'stuck' }, deaths, deaths.counted()[0] ?? because('timeout', last))
}

type Deaths = ReturnType<typeof deathRecord>

/** An engine that is busy writes a dead task's last lines after it has said that it died. */
async function withLines(docker: Docker, ended: Outcome, deaths: Deaths, signal: AbortSignal): Promise<Outcome> {
  const task = ended.cause && deaths.taskOf(ended.cause)
  if (!ended.cause || !task) return ended
  const lines = await lastLines(docker, task, AbortSignal.any([signal, AbortSignal.timeout(LINES_MS)]))
  return lines.length < ended.cause.lines.length ? ended : { ...ended, cause: { ...ended.cause, lines } }
}

/** In the moment of the verdict one may have ended, or begun to fail its checks: Swarm hears of either later. */
async function someAiling(docker: Docker, tasks: TaskAnswer[], signal: AbortSignal): Promise<boolean> {
  const ailing = await Promise.all(tasks.filter(isUp).map((task) => isAiling(docker, task, signal)))
  return ailing.includes(true)
}

/** An engine that stops takes its containers with it. One that would have died anyway dies again. */
const endedWithEngine = (failure: TaskFailure): TaskFailure => ({ ...failure, reason: 'engine-restart' })

/** A reason that lies in no task. */
const because = (reason: TaskFailure['reason'], detail: string): TaskFailure => ({
  reason,
  detail,
  ...{ taskId: null, slot: null, node: null, exitCode: null, listening: null, lines: [] },
})

function outcome(verdict: Verdict, deaths: Deaths, cause?: TaskFailure): Outcome {
  const failures = deaths.counted()
  const { restored = null, message = '' } = verdict
  return {
    outcome: verdict.outcome,
    cause: verdict.outcome === 'healthy' ? null : (cause ?? failures[0] ?? deaths.any() ?? null),
    failures: failures.length,
    restored,
    message: message === '' ? null : message,
  }
}

/** Asking again will not help: a key that is refused, a socket without permission. */
function isHopeless(error: unknown): boolean {
  if (isFailure<EngineFailure>(error, 'engine'))
    return error.code === 'engine_denied' || error.code === 'engine_too_old'
  if (isFailure<SshFailure>(error, 'ssh')) {
    return ['host_key_unknown', 'host_key_mismatch', 'auth_failed', 'key_unreadable'].includes(error.code)
  }
  // A bug of ours, or a foreign service under the name.
  return statusOf(error) === undefined && !isTransport(error)
}

function isTransport(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^E[A-Z]+$/.test(code)
}
