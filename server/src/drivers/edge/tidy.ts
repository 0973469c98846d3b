import type { Container } from 'dockerode'
import { EDGE_ROOT } from './config.ts'
import { execute, removeFiles } from './inside.ts'
import { ROUTES, type RoutesSeen } from './read-routes.ts'
import { NONE } from './route-file.ts'

/** So few that reading them on each request costs nothing, so many that it hardly ever has to be done. */
const MOST_SPENT = 100
const NONE_KEPT_MS = 3_600_000

/**
 * Deletes names that count no more. They can never count again, so no other caller can be hurt. A `none` goes when it is
 * old and alone: before that it still covers names that may come to light again, or a caller who is writing there now.
 */
export async function tidyRoutes(container: Container, seen: RoutesSeen, signal: AbortSignal): Promise<void> {
  const covering = new Set(seen.spent.map(({ slot }) => slot))
  const oldest = Date.now() - NONE_KEPT_MS
  const unused = [...seen.winners.values()].filter(
    ({ entry, stamp, slot }) => entry === NONE && stamp < oldest && !covering.has(slot),
  )
  const old = [...seen.spent, ...unused].map(({ slot, name }) => `${EDGE_ROOT}/${ROUTES}/${slot}/${name}`)
  if (old.length <= MOST_SPENT) return
  await removeFiles(container, old, signal)
  await execute(
    container,
    ['find', `${EDGE_ROOT}/${ROUTES}`, '-mindepth', '1', '-type', 'd', '-empty', '-delete'],
    signal,
  )
}
