import { pause } from '../../engine/ask.ts'
import type { Connections } from '../../engine/connections.ts'
import type { EngineTarget } from '../../engine/engine.ts'
import { findService, serviceTasks } from '../find.ts'
import type { ServiceKey } from '../labels.ts'
import { endedWell, isOurs, placesUp } from '../watch/judge.ts'
import { wantedOf } from './grow.ts'
import { identityOf } from './identity.ts'
import { completionsOf, currentTasks, isJob } from './job.ts'

type Watched = { connections: Connections; engine: EngineTarget; service: ServiceKey & { instance: string } }

export type ServingOptions = { deployment: string; specHash: string; signal: AbortSignal; deadlineMs: number }

const POLL_MS = 200
const LOOK_MS = 5000

/**
 * Whether a spec that is known to be good has all its tasks running before the deadline. Unlike `watch` it does not ask
 * whether they stay so: they did before. A job serves when it has done its work. A task that is on its way out does not count, whatever its state.
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
        const all = currentTasks(found, await serviceTasks(docker, found, within))
        const tasks = all.filter((task) => isOurs({ deployment, specHash }, identityOf(task.Spec)))
        const { done, wanted } = completionsOf(found, tasks)
        if (isJob(found.Spec)) return done >= wanted
        const ended = new Set(tasks.filter(endedWell).map(({ ID }) => ID))
        return placesUp(tasks, ended) >= wantedOf(found)
      })
      .catch(() => false)
    signal.throwIfAborted()
    if (serving || performance.now() > end) return serving
    await pause(POLL_MS, signal)
  }
}
