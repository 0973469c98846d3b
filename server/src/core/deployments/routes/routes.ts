import type { Queryable } from '../../../db/database.ts'
import type { EdgeRoute } from '../../../drivers/edge/edge.ts'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import { isFailure } from '../../../errors.ts'
import type { Run } from '../../../jobs/steps.ts'
import * as domains from '../../domains/names/store.ts'
import type { BaseParts } from '../../parts.ts'

type Writing = Pick<Run, 'write'>
type At = { engine: EngineTarget; serverId: string; projectId: string }
type Edge = Pick<BaseParts, 'edge'>

/** `also`: where its successor listens while it is being replaced. `manner`: redirects and the like, to be compared. */
export type Route = {
  host: string
  pathPrefix: string | null
  service: string
  port: number
  also?: number
  manner?: string
}

/** A route as a plan compares it, as the edge has it: one that sends visitors elsewhere leads to no service. */
export function routeOf({ host, pathPrefix, service, port, also, secure, redirectTo }: EdgeRoute): Route {
  const path = pathPrefix?.replace(/\/$/, '') || null
  if (redirectTo) {
    const manner = `to ${redirectTo.https ? 'https' : 'http'} ${redirectTo.host}`
    return { host, pathPrefix: path, service: '', port: 0, manner }
  }
  return { host, pathPrefix: path, service, port, ...(also && { also }), ...(secure && { manner: secure }) }
}

/** Where the names of a project lead at the edge; null without an edge. */
export async function routesAt(
  { edge }: Edge,
  { engine, projectId }: At,
  signal: AbortSignal,
): Promise<Route[] | null> {
  const all = await edge.state(engine, signal).catch((error): null => {
    if (!isFailure(error, 'edge', 'edge_missing')) throw error
    return null
  })
  return all === null ? null : all.filter(({ project }) => project === projectId).map(routeOf)
}

/** What is written down of it. */
export const routesWritten = async (db: Queryable, { serverId, projectId }: Omit<At, 'engine'>): Promise<Route[]> =>
  (await domains.routesOn(db, serverId, projectId)).map(routeOf)

/** Each name with the one port that it is to lead to. */
export const withoutOthers = (routes: Route[]): Route[] => routes.map(({ also: _, ...route }) => route)

/**
 * Makes the edge what is written down, and nothing else ever does: whoever changes where names lead writes it down first. It is
 * read through the run (fencing): an owner who has lost it learns so before the edge is written to.
 */
export async function tellEdge({ edge }: Edge, { engine, serverId, projectId }: At, run: Writing, signal: AbortSignal) {
  const wanted = () => run.write((tx) => domains.routesOn(tx, serverId, projectId))
  await edge.route(engine, projectId, wanted, signal)
}

/** The same where no edge is no failure: one that is made later is made what is written down. */
export const tellEdgeIfAny = (...args: Parameters<typeof tellEdge>): Promise<void> =>
  tellEdge(...args).catch((error) => {
    if (!isFailure(error, 'edge', 'edge_missing')) throw error
  })
