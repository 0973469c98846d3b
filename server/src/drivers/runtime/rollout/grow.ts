import type Docker from 'dockerode'
import type { ServiceAnswer, SwarmSpec } from '../../engine/answers.ts'
import { LABEL } from '../labels.ts'
import type { RolloutState } from './outcome.ts'
import { isOutrun, updateService } from './write.ts'

/** A start takes the machine for a moment, from everybody on it: visitors of a neighbour feel two at once. */
const STEP = 1
/** Who takes long to get healthy is not waited for: only starting is what costs. */
const PACE_MS = 4000

/** Replicas of a service at its first write; what runs already is not taken away. */
export const atFirst = (wanted: number, running: number): number => Math.min(wanted, Math.max(STEP, running))

/** In the service's labels: how many it gets, where it does not begin with all of them. */
export const growsTo = (wanted: number, first: number): Record<string, string> =>
  first < wanted ? { [LABEL.replicas]: String(wanted) } : {}

export function replicasOf({ Spec }: { Spec: SwarmSpec }): number {
  return Spec.Mode.Replicated?.Replicas ?? 0
}

/** How many it has when all have been started. */
export function wantedOf({ Spec }: { Spec: SwarmSpec }): number {
  return Math.max(replicasOf({ Spec }), Number(Spec.Labels?.[LABEL.replicas] ?? 0))
}

/**
 * Starts the rest of a service, one after the other. The service itself says how many it gets, so whoever looks at it may go on,
 * again and at once with others: the engine takes each step only from what was looked at.
 */
export function growth() {
  let last = performance.now()

  return async function grow(docker: Docker, service: ServiceAnswer, state: RolloutState, failed: number) {
    const [now, wanted] = [replicasOf(service), wantedOf(service)]
    // The engine drops its watch over an update with the next write.
    const busy = state.update === 'updating' || state.update === 'rollback_started' || state.old > 0
    if (now >= wanted || busy) return
    const isLate = failed === 0 && performance.now() - last > PACE_MS
    if (state.running < now && !isLate) return
    last = performance.now()
    const Replicas = Math.min(wanted, now + STEP)
    await updateService(docker, service, { ...service.Spec, Mode: { Replicated: { Replicas } } }).catch((error) => {
      if (!isOutrun(error)) throw error
    })
  }
}
