import type { ServiceAnswer, TaskAnswer } from '../answers.ts'
import { identityOf } from './identity.ts'
import { isAfter, isDead, isOurs } from './judge.ts'
import type { TaskFailure, WatchOptions } from './outcome.ts'

/** Deaths of long before the newest event say nothing about this rollout. */
const RECENT_MS = 15 * 60_000

/** The tasks of a rollout that died, each explained once. */
export function deathRecord(watched: WatchOptions) {
  const deaths = new Map<string, { died: number; task: TaskAnswer; failure: TaskFailure }>()
  let newest = 0

  return {
    /** Dead tasks of the watched deployment that belong to this rollout and were not written down yet. */
    unexplained({ Spec, UpdateStatus }: ServiceAnswer, tasks: TaskAnswer[]): TaskAnswer[] {
      // By the engine's own clock: ours may differ by hours.
      newest = Math.max(newest, ...tasks.flatMap((task) => [timeOf(task), Date.parse(task.CreatedAt) || 0]))
      const start = isOurs(watched, identityOf(Spec.TaskTemplate)) ? UpdateStatus?.StartedAt : undefined
      const belongs = (task: TaskAnswer) =>
        isDead(task) && isOurs(watched, identityOf(task.Spec)) && isAfter(task.Status.Timestamp, start)
      return tasks.filter((task) => belongs(task) && !deaths.has(task.ID))
    },
    note(task: TaskAnswer, failure: TaskFailure): void {
      deaths.set(task.ID, { died: timeOf(task), task, failure })
    },
    /** Without those that an engine restart explains. */
    counted(): TaskFailure[] {
      const recent = [...deaths.values()].filter(({ died }) => died >= newest - RECENT_MS)
      return recent.map(({ failure }) => failure).filter(({ reason }) => reason !== 'engine-restart')
    },
    taskOf: ({ taskId }: TaskFailure): TaskAnswer | undefined => deaths.get(taskId ?? '')?.task,
    any(): TaskFailure | undefined {
      return [...deaths.values()][0]?.failure
    },
  }
}

function timeOf({ Status }: TaskAnswer): number {
  return Date.parse(Status.Timestamp ?? '') || 0
}
