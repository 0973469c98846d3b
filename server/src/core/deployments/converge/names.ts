import type { Tx } from '../../../db/database.ts'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { Run } from '../../../jobs/steps.ts'
import type { BaseParts } from '../../parts.ts'
import { type Route, routesAt, routesWritten, tellEdge, tellEdgeIfAny } from '../routes/routes.ts'
import type { Operation } from './planning/operation.ts'

/** How the names of a project are led elsewhere: written down first, then told to the edge. */
export type Names = {
  observe(signal: AbortSignal): Promise<Route[]>
  lead(to: Extract<Operation, { routes: Route[] }>, signal: AbortSignal): Promise<void>
}
/** For what does not touch them. */
export const NO_NAMES: Names = { observe: async () => [], lead: async () => {} }

type Writing = Pick<Run, 'write'>
type At = { engine: EngineTarget; serverId: string; projectId: string }
type Edge = Pick<BaseParts, 'edge'>
type Kind = 'route-both' | 'route' | 'forget-ports' | 'drop-route'

type Leading = {
  /** What is written down before the edge is told; where it says that nothing changed by that, the edge is not. */
  write?(tx: Tx, kind: Kind): Promise<unknown | 'unchanged'>
  /** Without an edge names are as they are written down: one that is made later is made so. Here it is a failure. */
  mustHaveEdge?: boolean
  /** The edge is not asked: they are as they are written down, and as they were led by this run. */
  unasked?: boolean
}

/** Names that are led to what is written down: the one way in which a plan changes where they lead. */
export function namesAt(
  parts: Edge,
  at: At,
  run: Writing,
  { write, mustHaveEdge = false, unasked = false }: Leading = {},
): Names {
  const written = () => run.write((tx) => routesWritten(tx, at))
  let led: Route[] | undefined
  return {
    async observe(signal) {
      if (unasked) return led ?? (await written())
      return (await routesAt(parts, at, signal)) ?? (mustHaveEdge ? [] : await written())
    },
    async lead({ kind, routes }, signal) {
      led = routes
      if (write && (await run.write((tx) => write(tx, kind))) === 'unchanged') return
      await (mustHaveEdge ? tellEdge : tellEdgeIfAny)(parts, at, run, signal)
    },
  }
}
