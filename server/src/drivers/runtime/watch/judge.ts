import type { ServiceAnswer, TaskAnswer } from '../../engine/answers.ts'
import { LABEL } from '../labels.ts'
import { replicasOf, wantedOf } from '../rollout/grow.ts'
import { ALTERED, type Identity, identityOf, sameIdentity } from '../rollout/identity.ts'
import { completionsOf, isJob, jobJudge } from '../rollout/job.ts'
import type { RolloutState, Verdict, WatchOptions } from '../rollout/outcome.ts'

/** One look at the engine, with the current tasks of a job. */
export type Look = {
  service: ServiceAnswer
  tasks: TaskAnswer[]
  /** How many tasks of this deployment died by no fault of an engine restart. */
  failed: number
  /** One of them died in a way that the next one will, too. */
  hopeless?: boolean
  /** Tasks that ended as they may: they count as if they ran. */
  ended?: ReadonlySet<string>
  at: number
}

type Limits = Pick<WatchOptions, 'deployment' | 'specHash' | 'generation' | 'stableMs' | 'mostRelapses'> & {
  pendingMs: number
  mostFailures: number
}

const SETTLE_MS = 1000

/**
 * Tells from looks how a rollout ended. The engine's UpdateStatus lies: it is absent after a create and for a moment
 * after an update, `completed` only means that the monitor period passed, `rollback_completed` comes seconds before the
 * old version runs again and also when that one is broken, and it stays `updating` for ever when no node fits. So tasks
 * decide; the status only says what the engine did by itself.
 */
export function rolloutJudge(limits: Limits) {
  let stableSince: number | null = null
  let pendingSince: number | null = null
  const relapses = new Set<string>()
  const job = jobJudge()

  function judge(look: Look): Verdict | null {
    const status = look.service.UpdateStatus?.State ?? null
    if (!isOurs(limits, identityOf(look.service.Spec.TaskTemplate))) return taken(look)
    if (isJob(look.service.Spec)) return job.judge(look) ?? stuck(look)
    if (status === 'paused' || status === 'rollback_paused') {
      return { outcome: 'paused', message: look.service.UpdateStatus?.Message ?? '' }
    }
    const { running, wanted, old } = stateOf(look.service, look.tasks, look.ended)
    const settled = status !== 'updating' && status !== 'rollback_started'
    const complete = running === wanted && old === 0
    return (settled && !complete ? doomed(limits, look) : null) ?? stuck(look) ?? stable(look, complete, settled)
  }

  /** The spec is no longer ours: the engine went back, or somebody deployed again. */
  function taken({ service, tasks }: Look): Verdict | null {
    const { State: status, StartedAt = '', Message: message = '' } = service.UpdateStatus ?? {}
    const restored = identityOf(service.Spec.TaskTemplate)
    const name = { restored: restored.specHash === ALTERED ? null : restored.deployment }
    if (!status?.startsWith('rollback_')) return { outcome: 'superseded', ...name }
    if (status === 'rollback_paused') return { outcome: 'rollback-failed', message, ...name }
    const back = tasks.filter((task) => sameIdentity(identityOf(task.Spec), restored))
    const ended = new Set(back.filter(endedWell).map(({ ID }) => ID))
    for (const task of back) {
      if (isDead(task) && !ended.has(task.ID) && isAfter(task.Status.Timestamp, StartedAt)) relapses.add(task.ID)
    }
    if (status === 'rollback_completed' && placesUp(back, ended) >= replicasOf(service)) {
      return { outcome: 'rolled-back', message, ...name }
    }
    const broken = relapses.size >= limits.mostFailures
    return broken ? { outcome: 'rollback-failed', message: 'The restored version does not run either.', ...name } : null
  }

  /** No node fits: the engine waits for ever and never goes back. */
  function stuck({ service, tasks, at }: Look): Verdict | null {
    const wanted = identityOf(service.Spec.TaskTemplate)
    const waiting = tasks.find(
      ({ Spec, Status, DesiredState }) =>
        Status.State === 'pending' &&
        Status.Err &&
        DesiredState !== 'shutdown' &&
        sameIdentity(identityOf(Spec), wanted),
    )
    pendingSince = waiting ? (pendingSince ?? at) : null
    const long = pendingSince !== null && at - pendingSince > patienceFor(limits, service, waiting)
    return waiting && long ? { outcome: 'stuck', waiting } : null
  }

  /**
   * All there, nothing old left, so for the whole window, and the engine has finished. What is seen while the engine
   * watches counts: waiting again after it would only make every deployment longer.
   */
  function stable({ service, at, failed }: Look, complete: boolean, settled: boolean): Verdict | null {
    stableSince = complete ? (stableSince ?? at) : null
    return settled && stableSince !== null && at - stableSince >= windowOf(limits, service, failed)
      ? { outcome: 'healthy' }
      : null
  }

  return {
    judge,
    /** The engine could not be asked, or a task died: the window starts again. */
    disturb() {
      stableSince = null
      job.disturb()
    },
  }
}

/**
 * A port that another service has is refused beforehand, so what has this one is most likely going: the scheduler counts a
 * port until the agent has told that its task ended. Several of one service wait for each other, for ever.
 */
function patienceFor({ pendingMs }: Limits, service: ServiceAnswer, waiting: TaskAnswer | undefined): number {
  return /host-mode port/.test(waiting?.Status.Err ?? '') && wantedOf(service) === 1 ? 4 * pendingMs : pendingMs
}

/** Dying again and again. During an update the engine's own failure action decides; otherwise nobody else will. */
function doomed(limits: Limits, { service, tasks, failed, hopeless }: Look): Verdict | null {
  if (failed === 0) return null
  const updated = service.UpdateStatus?.State !== undefined
  const most = updated ? (limits.mostRelapses ?? limits.mostFailures) : limits.mostFailures
  if (failed < most && !hopeless && !staysDead(service, tasks)) return null
  return { outcome: updated ? 'unstable' : 'never-came-up' }
}

function windowOf({ stableMs }: Limits, { Spec, UpdateStatus }: ServiceAnswer, failed: number): number {
  if (stableMs !== undefined) return stableMs
  const monitorMs = (Spec.UpdateConfig?.Monitor ?? 0) / 1_000_000
  // One that died and was started again is seen by nobody else, and what crashes once crashes again.
  if (failed > 0) return 2 * monitorMs
  // After an update the engine has watched for the monitor period already; after a create nobody has.
  return UpdateStatus?.State === undefined ? monitorMs : SETTLE_MS
}

export function isOurs({ deployment, specHash, generation }: Partial<Limits>, identity: Identity): boolean {
  return (
    identity.deployment === deployment &&
    (specHash === undefined || identity.specHash === specHash) &&
    (generation === undefined || identity.generation === generation)
  )
}

export function stateOf(service: ServiceAnswer, tasks: TaskAnswer[], ended?: ReadonlySet<string>): RolloutState {
  const wanted = identityOf(service.Spec.TaskTemplate)
  const [mine, others] = [true, false].map((same) =>
    tasks.filter((task) => sameIdentity(identityOf(task.Spec), wanted) === same),
  ) as [TaskAnswer[], TaskAnswer[]]
  const states: Record<string, number> = {}
  for (const { Status } of mine) states[Status.State] = (states[Status.State] ?? 0) + 1
  return {
    update: service.UpdateStatus?.State ?? null,
    tasks: states,
    ...(isJob(service.Spec)
      ? progressOf(service, mine)
      : { running: placesUp(mine, ended), wanted: wantedOf(service) }),
    // One that was told to stop gets no requests any more, though it runs for some seconds yet.
    old: others.filter((task) => task.DesiredState === 'running').length,
  }
}

/** A job that has done its work counts as if it ran. */
function progressOf(service: ServiceAnswer, tasks: TaskAnswer[]): Pick<RolloutState, 'running' | 'wanted'> {
  const { done, wanted } = completionsOf(service, tasks)
  return { running: done + tasks.filter(({ Status }) => Status.State === 'running').length, wanted }
}

/** `complete` is an exit with 0: still wrong for most services. `shutdown` is what the engine asked for itself. */
export function isDead({ Status }: TaskAnswer): boolean {
  return ['failed', 'rejected', 'complete', 'orphaned'].includes(Status.State)
}

export function isAfter(time: string | undefined, start: string | undefined): boolean {
  return !start || !time || Date.parse(time) >= Date.parse(start)
}

/** Places, not tasks: after a crash loop the engine sometimes runs two tasks in one place, and leaves it so. */
export function placesUp(tasks: TaskAnswer[], ended: ReadonlySet<string> = new Set()): number {
  return new Set(tasks.filter((task) => isUp(task) || ended.has(task.ID)).map(({ Slot, ID }) => Slot ?? ID)).size
}

export function isUp({ Status, DesiredState }: TaskAnswer): boolean {
  return Status.State === 'running' && DesiredState === 'running'
}

/** Done without an error, where that is no failure. Only its container tells whether a failed check has ended it. */
export function endedWell({ Spec, Status }: TaskAnswer): boolean {
  const may = Spec.ContainerSpec?.Labels?.[LABEL.mayEnd] !== undefined
  return may && Status.State === 'complete' && (Status.ContainerStatus?.ExitCode ?? 0) === 0
}

/** The restart policy starts nothing again, so there will be no further failure to wait for. */
function staysDead({ Spec }: ServiceAnswer, tasks: TaskAnswer[]): boolean {
  const { Condition = 'any', MaxAttempts = 0 } = Spec.TaskTemplate.RestartPolicy ?? {}
  const wanted = identityOf(Spec.TaskTemplate)
  const mine = tasks.filter((task) => sameIdentity(identityOf(task.Spec), wanted))
  if (mine.length === 0 || !mine.every(isDead)) return false
  const usedUp = MaxAttempts > 0 && mine.length > MaxAttempts
  return usedUp || Condition === 'none' || (Condition === 'on-failure' && mine.every(isComplete))
}

const isComplete = ({ Status }: TaskAnswer): boolean => Status.State === 'complete'
