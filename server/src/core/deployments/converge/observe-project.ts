import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { BaseParts } from '../../parts.ts'
import { routesAt } from '../routes/routes.ts'
import { type ObservedServer, observedOf } from './planning/observed.ts'

type At = { engine: EngineTarget; serverId: string; projectId: string }

/** What a project has on a server, at its engine and at its edge. */
export async function observeProject(
  { runtime, edge }: Pick<BaseParts, 'runtime' | 'edge'>,
  at: At,
  signal: AbortSignal,
): Promise<ObservedServer> {
  const [snapshot, routes] = await Promise.all([
    runtime.snapshot(at.engine, at.projectId, { signal }),
    routesAt({ edge }, at, signal),
  ])
  return observedOf(snapshot, { routes: routes ?? [], volumes: [] })
}
