import type { ServiceAnswer, TaskAnswer } from '../../engine/answers.ts'
import { identityOf } from '../rollout/identity.ts'
import { isJob } from '../rollout/job.ts'
import type { TaskFailure, WatchOptions } from '../rollout/outcome.ts'
import { endedWell, isAfter, isDead, isOurs } from './judge.ts'
import { isElsewhere } from './listening.ts'

/** Deaths of long before the newest event say nothing about this rollout. */
const RECENT_MS = 15 * 60_000

const OF_THE_ENGINE: ReadonlySet<TaskFailure['reason']> = new Set(['engine-restart', 'network-stuck'])

/** The tasks of a rollout that died, each explained once. */
export function deathRecord(watched: WatchOptions) {
  const deaths = new Map<string, { died: number; task: TaskAnswer; failure: TaskFailure }>()
  const ended = new Set<string>()
  let newest = 0

  return {
    /** Tasks that ended, and were allowed to. */
    ended: ended as ReadonlySet<string>,
    /** Dead tasks of the watched deployment that belong to this rollout and were not written down yet. */
    unexplained({ Spec, UpdateStatus }: ServiceAnswer, tasks: TaskAnswer[]): TaskAnswer[] {
      // By the engine's own clock: ours may differ by hours.
      newest = Math.max(newest, ...tasks.flatMap((task) => [timeOf(task), Date.parse(task.CreatedAt) || 0]))
      const start = isOurs(watched, identityOf(Spec.TaskTemplate)) ? UpdateStatus?.StartedAt : undefined
      const isDone = ({ Status }: TaskAnswer) => isJob(Spec) && Status.State === 'complete'
      const belongs = (task: TaskAnswer) =>
        isDead(task) && !isDone(task) && isOurs(watched, identityOf(task.Spec)) && isAfter(task.Status.Timestamp, start)
      return tasks.filter((task) => belongs(task) && !deaths.has(task.ID) && !ended.has(task.ID))
    },
    /** A failed check on an application that drains well ends it without an error, but not well. */
    note(task: TaskAnswer, failure: TaskFailure): void {
      if (endedWell(task) && failure.reason === 'exit') ended.add(task.ID)
      else deaths.set(task.ID, { died: timeOf(task), task, failure })
    },
    /** Without those that are the engine's doing. */
    counted(): TaskFailure[] {
      const recent = [...deaths.values()].filter(({ died }) => died >= newest - RECENT_MS)
      return recent.map(({ failure }) => failure).filter(({ reason }) => !OF_THE_ENGINE.has(reason))
    },
    /** Whether one of them died in a way that the next one will, too. */
    hopeless(): boolean {
      const isSo = ({ listening }: TaskFailure) => listening !== null && isElsewhere(listening)
      return (watched.portDecides ?? false) && this.counted().some(isSo)
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
