import type { ServiceAnswer, SwarmSpec, TaskAnswer } from '../../engine/answers.ts'
import type { Verdict } from './outcome.ts'

const over = new Set(['complete', 'failed', 'rejected', 'shutdown', 'orphaned', 'remove'])
/** The engine makes the next task in the moment in which one fails; this is for one that is busy, or just started. */
const QUIET_MS = 5000

export const isJob = ({ Mode }: Pick<SwarmSpec, 'Mode'>): boolean => Mode.ReplicatedJob !== undefined

/** Whether it may still come to something; a job's task is meant to be complete from the start. */
export const isUnfinished = ({ Status }: TaskAnswer): boolean => !over.has(Status.State)

/**
 * Of a job only the tasks of its last run: the same spec may have run before, and the engine remembers. Of a service all.
 */
export function currentTasks({ Spec, JobStatus }: ServiceAnswer, tasks: TaskAnswer[]): TaskAnswer[] {
  if (!isJob(Spec)) return tasks
  const run = JobStatus?.JobIteration?.Index ?? 0
  return tasks.filter(({ JobIteration }) => (JobIteration?.Index ?? 0) === run)
}

/** How many of a job's runs have succeeded, and how many must. */
export function completionsOf({ Spec }: ServiceAnswer, current: TaskAnswer[]): { done: number; wanted: number } {
  const done = current.filter(({ Status }) => Status.State === 'complete').length
  return { done, wanted: Spec.Mode.ReplicatedJob?.TotalCompletions ?? 1 }
}

/**
 * Tells how a job ended. The engine says when it succeeded and never that it gave up: that shows by failures without a
 * successor. After a restart of the engine it forgets how often it has tried, so the number alone does not decide.
 */
export function jobJudge() {
  let quietSince: number | null = null

  function judge({ service, tasks, at }: { service: ServiceAnswer; tasks: TaskAnswer[]; at: number }): Verdict | null {
    const { done, wanted } = completionsOf(service, tasks)
    if (done >= wanted) return { outcome: 'healthy' }
    if (tasks.length === 0 || tasks.some(isUnfinished)) {
      quietSince = null
      return null
    }
    quietSince ??= at
    const { Condition, Delay = 0, MaxAttempts = 0 } = service.Spec.TaskTemplate.RestartPolicy ?? {}
    const usedUp = Condition === 'none' || (MaxAttempts > 0 && tasks.length > MaxAttempts)
    const silent = at - quietSince > Delay / 1_000_000 + QUIET_MS
    return usedUp || silent ? { outcome: 'never-came-up' } : null
  }

  return {
    judge,
    disturb() {
      quietSince = null
    },
  }
}
