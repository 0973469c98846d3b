import type Docker from 'dockerode'
import type { ContainerInspection, TaskAnswer } from '../../engine/answers.ts'
import { callEngine, unlessMissing } from '../../engine/ask.ts'
import type { TaskFailure } from '../rollout/outcome.ts'
import { lastLines } from '../running/last-lines.ts'
import { type Listening, listeningOf, type PortWait } from './listening.ts'

/** Each part of a diagnosis may take this long; a task that cannot be explained still counts. */
const ASK_MS = 4000

/** Why a task does not run. The container can be asked only on its own node; elsewhere the task has to do. */
export async function diagnose(docker: Docker, task: TaskAnswer, signal: AbortSignal): Promise<TaskFailure> {
  const early = withoutContainer(task)
  if (early) return failure(task, early)
  const limited = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)])
  const [container, lines] = await Promise.all([inspect(docker, task, limited), lastLines(docker, task, limited)])
  signal.throwIfAborted()
  return { ...failure(task, ofContainer(task, container, lines)), lines }
}

/** A link that an engine left behind is in the way of every task on its network: `stuck-networks.ts`. */
export const STUCK = /error creating vxlan interface: file exists/
/** The engine lost it, or was not ready itself: no fault of the application. */
export const OF_THE_ENGINE = /No such container|swarm scoped network when swarm is not active/

type Why = Pick<TaskFailure, 'reason' | 'detail'> & { listening?: Listening }

/** What the engine says before there is a container, or after it lost one. */
function withoutContainer({ Status: { State, Err = '' } }: TaskAnswer): Why | null {
  if (/no suitable node/.test(Err)) {
    const reason = /port/.test(Err) ? 'port-taken' : /resources/.test(Err) ? 'no-resources' : 'no-suitable-node'
    return { reason, detail: Err }
  }
  if (/address already in use|port is already allocated/.test(Err)) return { reason: 'port-taken', detail: Err }
  if (STUCK.test(Err)) return { reason: 'network-stuck', detail: Err }
  if (OF_THE_ENGINE.test(Err)) return { reason: 'engine-restart', detail: Err }
  if (/no space left on device/i.test(Err)) return { reason: 'disk-full', detail: Err }
  if (/range of CPUs is from/i.test(Err)) return { reason: 'no-resources', detail: Err }
  if (/executable file not found|exec format error|exec: .*(?:no such file|permission denied)/i.test(Err)) {
    return { reason: 'cannot-start', detail: Err }
  }
  if (/No such image|pull access|manifest unknown|(?:image|manifest|repository) .*not found/i.test(Err)) {
    return { reason: 'image-missing', detail: Err }
  }
  const unmade = /^starting container failed: (.+)$/s.exec(Err)?.[1]
  if (unmade) return { reason: 'rejected', detail: settingOf(unmade) }
  return State === 'rejected' ? { reason: 'rejected', detail: Err } : null
}

/** What the engine could not set up, without the way through its parts and the places of the server. */
function settingOf(words: string): string {
  const escapes = /escapes the base directory.*subpath: (.+)$/.exec(words)?.[1]
  if (escapes) return `the path ${escapes} leads out of its volume`
  const missing = /^cannot access path \S*\/volumes\/[^/]+\/_data\/(.+): lstat .*no such file/.exec(words)?.[1]
  if (missing) return `the path ${missing} is not in its volume`
  return words
    .replace(/^(?:failed to create (?:shim )?task[^:]*: |OCI runtime create failed: |runc create failed: )+/, '')
    .replace(/: unknown$/, '')
    .replaceAll(/[^\s']*\/volumes\/([^/\s']+)\/_data/g, 'the volume $1')
}

function ofContainer({ Spec, Status }: TaskAnswer, container: ContainerInspection | null, lines: string[]): Why {
  const health = container?.State.Health
  const code = Status.ContainerStatus?.ExitCode
  if (container?.State.OOMKilled) {
    return { reason: 'out-of-memory', detail: `limit ${Spec.Resources?.Limits?.MemoryBytes ?? 'of the machine'} bytes` }
  }
  // Health.Status says "unhealthy" for every container that has exited: only the streak proves a failed check. A check
  // on an application that drains well shows as an exit with 0.
  const retries = Spec.ContainerSpec?.Healthcheck?.Retries || 3
  if (health && health.FailingStreak >= retries) {
    const { Log: log = [], FailingStreak: streak } = health
    // Those after the one that decided found an application that was being ended.
    const decisive = log.slice(0, Math.max(1, log.length - (streak - retries)))
    return failedCheck(decisive, Spec.ContainerSpec?.Healthcheck === undefined)
  }
  if (/unhealthy container/.test(Status.Err ?? '')) return { reason: 'health-check', detail: Status.Err ?? '' }
  const unstartable = lines.map(unstartableOf).findLast((words) => words !== undefined)
  if (unstartable && code) return { reason: 'cannot-start', detail: unstartable }
  const signalled = code !== undefined && code > 128 ? ` (signal ${code - 128})` : ''
  return {
    reason: 'exit',
    detail: code === undefined ? Status.Err || Status.Message || Status.State : `code ${code}${signalled}`,
  }
}

/** The engine's own init process starts the program, and says so when it cannot; one that is none it leaves to a shell. */
function unstartableOf(line: string): string | undefined {
  const said = /^\[FATAL tini \(\d+\)\] (exec .+ failed: .+)$/.exec(line)?.[1]
  if (said) return said
  return /\bELF\b.*not found|exec format error|cannot execute binary file/i.test(line)
    ? `Exec format error (${line.replace(/[^\x20-\x7e]/g, '').slice(0, 100)})`
    : undefined
}

/** What is printed when the check itself came to nothing: out of time, or in a container that was being ended. */
const BESIDE_THE_POINT =
  /^$|^Health check exceeded timeout|write init-p|is not running|stopped container|process does not exist/

/** The last thing that a failed check had to say. */
function failedCheck(log: { Output: string; ExitCode: number }[], ofImage: boolean): Why {
  const outputs = log.filter(({ ExitCode }) => ExitCode !== 0).map(({ Output }) => Output.trim())
  const said = outputs.findLast((output) => !BESIDE_THE_POINT.test(output)) ?? outputs.at(-1) ?? ''
  const listening = listeningOf(said)
  const cut = said.slice(-300)
  // It may say anything; only our own looks for what listens.
  const detail = ofImage ? `the image's own check said: ${cut} (which ports are open is not known)` : cut
  return listening ? { reason: 'port-closed', detail, listening } : { reason: 'health-check', detail }
}

/**
 * Whether a task that counts as running does not, or not for long: its container has ended, which a busy agent tells
 * Swarm seconds later, or its last check has failed. Without an answer nobody knows that it runs; a container of another
 * node is not known here, and its task has to do.
 */
export async function isAiling(docker: Docker, task: TaskAnswer, signal: AbortSignal): Promise<boolean> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)])
  try {
    const { State } = (await unlessMissing(containerOf(docker, task, limited))) ?? {}
    return State !== undefined && (!State.Running || (State.Health?.FailingStreak ?? 0) > 0)
  } catch {
    signal.throwIfAborted()
    return true
  }
}

/** Which port a task that is starting has not opened, as far as its last check can tell. */
export async function portWaitOf(docker: Docker, task: TaskAnswer, signal: AbortSignal): Promise<PortWait | null> {
  const container = await inspect(docker, task, AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]))
  const { Health, StartedAt = null } = container?.State ?? {}
  const last = Health?.Log?.findLast(({ Output }) => !BESIDE_THE_POINT.test(Output.trim()))
  const listening = last && last.ExitCode !== 0 ? listeningOf(last.Output) : null
  return listening && { port: listening.expected, since: StartedAt, open: listening.open }
}

/** When a task that is up passed its check: Swarm says so only after its agent's next report. Null where nothing is checked or remembered. */
export async function passedAt(docker: Docker, task: TaskAnswer, signal: AbortSignal): Promise<string | null> {
  const container = await inspect(docker, task, AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]))
  return container?.State.Health?.Log?.find(({ ExitCode }) => ExitCode === 0)?.End ?? null
}

function inspect(docker: Docker, task: TaskAnswer, signal: AbortSignal): Promise<ContainerInspection | null> {
  return containerOf(docker, task, signal).catch(() => null)
}

async function containerOf(docker: Docker, task: TaskAnswer, signal: AbortSignal): Promise<ContainerInspection | null> {
  const id = task.Status.ContainerStatus?.ContainerID
  return id ? callEngine(docker, { path: `/containers/${id}/json` }, signal) : null
}

function failure({ ID, Slot, NodeID, Status }: TaskAnswer, why: Why): TaskFailure {
  const exitCode = Status.ContainerStatus?.ExitCode ?? null
  return { listening: null, ...why, taskId: ID, slot: Slot ?? null, node: NodeID ?? null, exitCode, lines: [] }
}
