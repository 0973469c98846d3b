import { setTimeout as sleep } from 'node:timers/promises'
import type { Container } from 'dockerode'
import { EDGE_ROOT } from './config.ts'
import { ROUTES, type RoutesSeen } from './read-routes.ts'
import { NONE } from './route-file.ts'

/** So few that reading them on each request costs nothing, so many that it hardly ever has to be done. */
const MOST_SPENT = 100
const NONE_KEPT_MS = 3_600_000
const FILES_AT_ONCE = 500

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
  for (let at = 0; at < old.length; at += FILES_AT_ONCE) {
    await execute(container, ['rm', '-f', '--', ...old.slice(at, at + FILES_AT_ONCE)], signal)
  }
  await execute(
    container,
    ['find', `${EDGE_ROOT}/${ROUTES}`, '-mindepth', '1', '-type', 'd', '-empty', '-delete'],
    signal,
  )
}

/** Whether it worked does not matter: what is left over counts for nothing and the next time takes it. */
async function execute(container: Container, Cmd: string[], signal: AbortSignal): Promise<void> {
  const exec = await container.exec({ Cmd, abortSignal: signal })
  await exec.start({ Detach: true, abortSignal: signal })
  while ((await exec.inspect({ abortSignal: signal })).Running) await sleep(50, undefined, { signal })
}
