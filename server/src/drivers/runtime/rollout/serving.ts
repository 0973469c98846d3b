import { pause } from '../ask.ts'
import type { Connections } from '../connections.ts'
import type { EngineTarget } from '../engine.ts'
import { findService, serviceTasks } from '../find.ts'
import type { ServiceKey } from '../labels.ts'
import { identityOf } from './identity.ts'
import { isOurs, isUp } from './judge.ts'

type Watched = { connections: Connections; engine: EngineTarget; service: ServiceKey & { instance: string } }

export type ServingOptions = { deployment: string; specHash: string; signal: AbortSignal; deadlineMs: number }

const POLL_MS = 200
const LOOK_MS = 5000

/**
 * Whether a spec that is known to be good has all its tasks running before the deadline. Unlike `watch` it does not ask
 * whether they stay so: they did before. A task that is on its way out does not count, whatever its state.
 */
export async function untilServing(
  { connections, engine, service }: Watched,
  options: ServingOptions,
): Promise<boolean> {
  const { deployment, specHash, signal, deadlineMs } = options
  const end = performance.now() + deadlineMs
  for (;;) {
    const limits = { signal, deadlineMs: LOOK_MS }
    const serving = await connections
      .use(engine, limits, async ({ docker }, within) => {
        const found = await findService(docker, service, within)
        if (!found || !isOurs({ deployment, specHash }, identityOf(found.Spec.TaskTemplate))) return false
        const tasks = await serviceTasks(docker, found, within)
        const up = tasks.filter((task) => isUp(task) && isOurs({ deployment, specHash }, identityOf(task.Spec)))
        return new Set(up.map(({ Slot, ID }) => Slot ?? ID)).size >= (found.Spec.Mode.Replicated?.Replicas ?? 0)
      })
      .catch(() => false)
    signal.throwIfAborted()
    if (serving || performance.now() > end) return serving
    await pause(POLL_MS, signal)
  }
}
