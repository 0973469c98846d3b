import type Docker from 'dockerode'
import type { ServiceAnswer, TaskAnswer } from '../../engine/answers.ts'
import { identityOf, sameIdentity } from '../rollout/identity.ts'
import { passedAt } from './diagnose.ts'
import { isUp } from './judge.ts'

/**
 * How long the first task of a rollout took, from when it was made, which is when its predecessor is told to stop if that one stops first,
 * until it was up: by the engine's own clock, not by when we or Swarm heard of it. Null until then.
 */
export function firstUp() {
  let ms: number | null = null
  return {
    async look(docker: Docker, { Spec }: ServiceAnswer, tasks: TaskAnswer[], signal: AbortSignal) {
      if (ms !== null) return ms
      const wanted = identityOf(Spec.TaskTemplate)
      const mine = tasks.filter((task) => sameIdentity(identityOf(task.Spec), wanted))
      const up = mine.find(isUp)
      if (!up) return null
      const passed = await passedAt(docker, up, signal)
      // It remembers five checks: the first of them may be later than what Swarm heard of.
      const ends = [passed, up.Status.Timestamp].map((at) => Date.parse(at ?? '')).filter((at) => !Number.isNaN(at))
      const took = Math.min(...ends) - Math.min(...mine.map(({ CreatedAt }) => Date.parse(CreatedAt)))
      if (Number.isFinite(took) && took >= 0) ms = took
      return ms
    },
  }
}
