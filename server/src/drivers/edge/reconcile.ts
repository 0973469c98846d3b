import { isFailure } from '../../errors.ts'
import { upload } from './archive.ts'
import { type EdgeFailure, type EdgeRoute, edgeFailure, type Reconciled, type RoutesWanted } from './edge.ts'
import { ROUTES, type RoutesSeen, readRoutes } from './read-routes.ts'
import { NONE, nameFor, placeRoute, type RouteFile, routeOf } from './route-file.ts'
import { type EdgeScope, isGone, runningEdge } from './running.ts'
import { tidyRoutes } from './tidy.ts'

/** Writing is followed by looking again: another caller, or a container that ended meanwhile, costs one more round. */
const MOST_ROUNDS = 5

/**
 * With a project, only its routes are looked at, and the slots that it is to have. A route of theirs that cannot be written is
 * refused with all of them; among those of everybody it is left out, so that one project does not take the edge from the others.
 */
export async function reconcileRoutes(scope: EdgeScope, wanted: RoutesWanted, project?: string): Promise<Reconciled> {
  const done: Reconciled = { written: 0, removed: 0 }
  let last: unknown
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { container } = await runningEdge(scope)
    try {
      const seen = await readRoutes(container, scope.signal)
      const { entries, unfit } = entriesOf(typeof wanted === 'function' ? await wanted() : wanted)
      if (unfit[0] !== undefined && project !== undefined) throw unfit[0]
      if (unfit.length > 0) done.unfit = unfit.map(({ message }) => message)
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
  throw edgeFailure('routes_contested', 'The routes did not become what they should be.', last)
}

/** Slot → entry, each slot once; and what cannot be one. */
export function entriesOf(wanted: EdgeRoute[]): { entries: Map<string, string>; unfit: EdgeFailure[] } {
  const entries = new Map<string, string>()
  const unfit: EdgeFailure[] = []
  for (const route of wanted) {
    try {
      const { slot, entry } = placeRoute(route)
      if ((entries.get(slot) ?? entry) !== entry) throw twice(route)
      entries.set(slot, entry)
    } catch (error) {
      if (!isFailure<EdgeFailure>(error, 'edge')) throw error
      unfit.push(error)
    }
  }
  return { entries, unfit }
}

const twice = ({ host, pathPrefix }: EdgeRoute) =>
  edgeFailure('route_invalid', `${host}${pathPrefix ?? ''} cannot lead to two services.`)

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
