import type { Container } from 'dockerode'
import { list } from './archive.ts'
import type { EdgeRoute } from './edge.ts'
import { parseFile, type RouteFile, routeOf } from './route-file.ts'

/** The folder in the edge's volume. */
export const ROUTES = 'routes'

export type RoutesSeen = {
  /** What counts in each slot, `none` included. */
  winners: Map<string, RouteFile>
  /** What a newer name has replaced. */
  spent: RouteFile[]
  routes: EdgeRoute[]
}

export async function readRoutes(container: Container, signal: AbortSignal): Promise<RoutesSeen> {
  const files = (await list(container, ROUTES, signal)).map(parseFile).filter((file) => file !== undefined)
  const winners = new Map<string, RouteFile>()
  const spent: RouteFile[] = []
  // In the same order in which Caddy looks.
  for (const file of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (winners.has(file.slot)) spent.push(file)
    else winners.set(file.slot, file)
  }
  return { winners, spent, routes: [...winners.values()].map(routeOf).filter((route) => route !== undefined) }
}
