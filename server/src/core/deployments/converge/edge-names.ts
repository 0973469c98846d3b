import type { Queryable, Tx } from '../../../db/database.ts'
import type { EdgeRoute } from '../../../drivers/edge/edge.ts'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import { isFailure } from '../../../errors.ts'
import type { Run } from '../../../jobs/steps.ts'
import * as domains from '../../domains/names/store.ts'
import type { BaseParts } from '../../parts.ts'
import type { Names } from './execute.ts'
import type { Route } from './planning/operation.ts'

type Writing = Pick<Run, 'write'>
type At = { engine: EngineTarget; serverId: string; projectId: string }
type Edge = Pick<BaseParts, 'edge'>

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
 * Makes the edge what is written down. Read through the run: an owner who has lost it learns so before it writes. Whoever
 * mends edges knows it from there, so that there is none is no failure.
 */
export async function tellEdge({ edge }: Edge, { engine, serverId, projectId }: At, run: Writing, signal: AbortSignal) {
  const wanted = () => run.write((tx) => domains.routesOn(tx, serverId, projectId))
  await edge.route(engine, projectId, wanted, signal).catch((error) => {
    if (!isFailure(error, 'edge', 'edge_missing')) throw error
  })
}

type Kind = 'route-both' | 'route' | 'forget-ports' | 'drop-route'

/**
 * Names that are led to what is written down, where `write` changes that first. Without an edge they are as they are written
 * down: one that is made later is made so.
 */
export const writtenNames = (
  parts: Edge,
  at: At,
  run: Writing,
  write: (tx: Tx, kind: Kind) => Promise<unknown> = async () => {},
): Names => ({
  observe: async (signal) => (await routesAt(parts, at, signal)) ?? run.write((tx) => routesWritten(tx, at)),
  async lead({ kind }, signal) {
    await run.write((tx) => write(tx, kind))
    await tellEdge(parts, at, run, signal)
  },
})
