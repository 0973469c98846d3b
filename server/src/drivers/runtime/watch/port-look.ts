import type Docker from 'dockerode'
import type { ServiceAnswer, TaskAnswer } from '../../engine/answers.ts'
import { identityOf } from '../rollout/identity.ts'
import { isJob } from '../rollout/job.ts'
import type { WatchOptions } from '../rollout/outcome.ts'
import { portWaitOf } from './diagnose.ts'
import { isOurs } from './judge.ts'
import type { PortWait } from './listening.ts'

const PORT_LOOK_MS = 1000

/** Which port is waited for, looked at no more often than it is checked. One task is enough: they are all alike. */
export function portLook(watched: WatchOptions) {
  let [seen, at] = [null as PortWait | null, Number.NEGATIVE_INFINITY]
  return {
    async look(docker: Docker, { Spec }: ServiceAnswer, tasks: TaskAnswer[], signal: AbortSignal) {
      const isStarting = ({ Spec: own, Status, DesiredState }: TaskAnswer) =>
        Status.State === 'starting' && DesiredState === 'running' && isOurs(watched, identityOf(own))
      const task = isJob(Spec) ? undefined : tasks.find(isStarting)
      if (!task) seen = null
      else if (performance.now() - at >= PORT_LOOK_MS) {
        seen = await portWaitOf(docker, task, signal)
        at = performance.now()
      }
      return seen
    },
  }
}
