import type { EdgeRoute } from '../../../drivers/edge/edge.ts'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { BaseParts } from '../../parts.ts'
import { type ObservedServer, observedOf } from './observed.ts'
import type { Route } from './operation.ts'

type Parts = Pick<BaseParts, 'runtime' | 'edge'>

/** What a project has on a server, at its engine and at its edge. */
export async function observeProject(
  { runtime, edge }: Parts,
  engine: EngineTarget,
  project: string,
  signal: AbortSignal,
): Promise<ObservedServer> {
  const [snapshot, routes] = await Promise.all([
    runtime.snapshot(engine, project, { signal }),
    routesAt({ edge }, engine, project, signal),
  ])
  return observedOf(snapshot, { routes, volumes: [] })
}

/** Where its names lead at the edge. Without an edge they lead nowhere. */
async function routesAt(
  { edge }: Pick<BaseParts, 'edge'>,
  engine: EngineTarget,
  project: string,
  signal: AbortSignal,
): Promise<Route[]> {
  const all = await edge.state(engine, signal).catch((error): EdgeRoute[] => {
    if ((error as { code?: string }).code !== 'edge_missing') throw error
    return []
  })
  return all
    .filter((route) => route.project === project)
    .map(({ host, pathPrefix, service, port, also }) => ({ host, pathPrefix, service, port, ...(also && { also }) }))
}
