import type { Connections } from '../../engine/connections.ts'
import type { EngineTarget } from '../../engine/engine.ts'
import { type Applied, type ApplyOptions, applySpec, ServiceMustBeReplaced } from './apply.ts'
import { removeService } from './remove.ts'
import type { ServiceSpec } from './spec.ts'
import { leavingOf, StillLeaving, untilOver } from './wait-free.ts'

type Place = { connections: Connections; engine: EngineTarget; signal: AbortSignal }
type Times = { writeMs: number; removeMs: number }

/** What is in the way may come back once, from whoever lost the right to write a moment ago. */
const MOST_REMOVALS = 2

/**
 * Applies a spec; what cannot become it is removed first, with its grace period, and only then. Whoever is killed in
 * between leaves no service, and the next one makes it, when the last container of what was removed has ended.
 */
export async function applyOver(
  place: Place,
  spec: ServiceSpec,
  options: ApplyOptions,
  times: Times,
): Promise<Applied> {
  const { connections, engine, signal } = place
  const { instance, guard, onWait } = options
  const { project, service } = spec
  let previous: Applied['previous'] = null
  for (let removals = 0; ; ) {
    try {
      const limits = { signal, deadlineMs: times.writeMs }
      const applied = await connections.use(engine, limits, ({ docker }, within) =>
        applySpec(docker, spec, options, within),
      )
      return { ...applied, previous: applied.previous ?? previous }
    } catch (error) {
      if (error instanceof StillLeaving) {
        onWait?.(leavingOf(error.tasks))
        await untilOver(place, { tasks: error.tasks, spec, instance, leastMs: times.removeMs })
        continue
      }
      if (!(error instanceof ServiceMustBeReplaced) || removals === MOST_REMOVALS) throw error
      removals += 1
      previous = error.previous ?? previous
      // The next look finds its containers, and waits for them as long as they may take.
      const seen = { instance, deployments: [error.previous?.deployment ?? null], guard, wait: false }
      await connections.use(engine, { signal, deadlineMs: times.writeMs }, ({ docker }, within) =>
        removeService(docker, { project, service }, seen, within),
      )
    }
  }
}
