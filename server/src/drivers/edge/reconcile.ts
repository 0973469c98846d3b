import { upload } from './archive.ts'
import { EdgeFailure, type EdgeRoute, type RoutesWanted } from './edge.ts'
import { ROUTES, type RoutesSeen, readRoutes } from './read-routes.ts'
import { NONE, nameFor, placeRoute, type RouteFile, routeOf } from './route-file.ts'
import { type EdgeScope, isGone, runningEdge } from './running.ts'
import { tidyRoutes } from './tidy.ts'

/** Writing is followed by looking again: another caller, or a container that ended meanwhile, costs one more round. */
const MOST_ROUNDS = 5

/** With a project, only its routes are looked at, and the slots that it is to have. */
export async function reconcileRoutes(
  scope: EdgeScope,
  wanted: RoutesWanted,
  project?: string,
): Promise<{ written: number; removed: number }> {
  const done = { written: 0, removed: 0 }
  let last: unknown
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { container } = await runningEdge(scope)
    try {
      const seen = await readRoutes(container, scope.signal)
      const entries = entriesOf(typeof wanted === 'function' ? await wanted() : wanted)
      const isMine = (file: RouteFile) => project === undefined || routeOf(file)?.project === project
      const changes = changesOf(seen, entries, isMine)
      if (changes.length === 0) {
        await tidyRoutes(container, seen, scope.signal)
        return done
      }
      const files = changes.map(({ slot, name }) => ({ path: `${ROUTES}/${slot}/${name}`, body: '' }))
      await upload(container, files, scope.signal)
      const removed = changes.filter(({ entry }) => entry === NONE).length
      done.removed += removed
      done.written += changes.length - removed
    } catch (error) {
      if (!isGone(error)) throw error
      last = error
    }
  }
  throw new EdgeFailure('routes_contested', 'The routes did not become what they should be.', last)
}

/** Slot → entry, each slot once. */
export function entriesOf(wanted: EdgeRoute[]): Map<string, string> {
  const entries = new Map<string, string>()
  for (const route of wanted) {
    const { slot, entry } = placeRoute(route)
    if ((entries.get(slot) ?? entry) !== entry) {
      const place = `${route.host}${route.pathPrefix ?? ''}`
      throw new EdgeFailure('route_invalid', `${place} cannot lead to two services.`)
    }
    entries.set(slot, entry)
  }
  return entries
}

function changesOf({ winners }: RoutesSeen, entries: Map<string, string>, isMine: (file: RouteFile) => boolean) {
  const mine = [...winners.values()].filter(isMine).map(({ slot }) => slot)
  const slots = new Set([...mine, ...entries.keys()])
  return [...slots].flatMap((slot) => {
    const winner = winners.get(slot)
    const entry = entries.get(slot) ?? NONE
    if ((winner?.entry ?? NONE) === entry) return []
    // A clock that went back, or another machine's, must not make a new name lose against an old one.
    const stamp = Math.max(Date.now(), (winner?.stamp ?? 0) + 1)
    return [{ slot, entry, name: nameFor(entry, stamp) }]
  })
}
