import type Docker from 'dockerode'
import type { ContainerInspection, TaskAnswer } from '../answers.ts'
import { callEngine } from '../ask.ts'
import { lastLines } from '../running/last-lines.ts'
import type { TaskFailure } from './outcome.ts'

/** Each part of a diagnosis may take this long; a task that cannot be explained still counts. */
const ASK_MS = 4000

/** Why a task does not run. The container can be asked only on its own node; elsewhere the task has to do. */
export async function diagnose(docker: Docker, task: TaskAnswer, signal: AbortSignal): Promise<TaskFailure> {
  const early = withoutContainer(task)
  if (early) return failure(task, early)
  const limited = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)])
  const [container, lines] = await Promise.all([inspect(docker, task, limited), lastLines(docker, task, limited)])
  signal.throwIfAborted()
  return { ...failure(task, ofContainer(task, container)), lines }
}

type Why = Pick<TaskFailure, 'reason' | 'detail'>

/** What the engine says before there is a container, or after it lost one. */
function withoutContainer({ Status: { State, Err = '' } }: TaskAnswer): Why | null {
  if (/no suitable node/.test(Err)) {
    const reason = /port/.test(Err) ? 'port-taken' : /resources/.test(Err) ? 'no-resources' : 'no-suitable-node'
    return { reason, detail: Err }
  }
  if (/address already in use|port is already allocated/.test(Err)) return { reason: 'port-taken', detail: Err }
  // The engine lost it: no fault of the application.
  if (/No such container/.test(Err)) return { reason: 'engine-restart', detail: Err }
  if (/No such image|pull access|manifest unknown|not found/i.test(Err)) return { reason: 'image-missing', detail: Err }
  return State === 'rejected' ? { reason: 'rejected', detail: Err } : null
}

function ofContainer({ Spec, Status }: TaskAnswer, container: ContainerInspection | null): Why {
  const health = container?.State.Health
  const code = Status.ContainerStatus?.ExitCode
  if (container?.State.OOMKilled) {
    return { reason: 'out-of-memory', detail: `limit ${Spec.Resources?.Limits?.MemoryBytes ?? 'of the machine'} bytes` }
  }
  // Health.Status says "unhealthy" for every container that has exited: only the streak proves a failed check. A check
  // on an application that drains well shows as an exit with 0.
  if (health && health.FailingStreak >= (Spec.ContainerSpec?.Healthcheck?.Retries || 3)) {
    return { reason: 'health-check', detail: (health.Log?.at(-1)?.Output ?? '').trim().slice(-300) }
  }
  if (/unhealthy container/.test(Status.Err ?? '')) return { reason: 'health-check', detail: Status.Err ?? '' }
  const signalled = code !== undefined && code > 128 ? ` (signal ${code - 128})` : ''
  return {
    reason: 'exit',
    detail: code === undefined ? Status.Err || Status.Message || Status.State : `code ${code}${signalled}`,
  }
}

async function inspect(docker: Docker, task: TaskAnswer, signal: AbortSignal): Promise<ContainerInspection | null> {
  const id = task.Status.ContainerStatus?.ContainerID
  if (!id) return null
  return callEngine<ContainerInspection>(docker, { path: `/containers/${id}/json` }, signal).catch(() => null)
}

function failure({ ID, Slot, NodeID, Status }: TaskAnswer, why: Why): TaskFailure {
  const exitCode = Status.ContainerStatus?.ExitCode ?? null
  return { ...why, taskId: ID, slot: Slot ?? null, node: NodeID ?? null, exitCode, lines: [] }
}
