import type { Pipeline, Run } from '../../../jobs/steps.ts'
import * as domains from '../../domains/names/store.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { switchRoutes } from '../converge/switch-routes.ts'
import type { DeployParts } from '../parts.ts'
import { routesTo, urlsOf } from '../routes/release-routes.ts'
import { releaseOf } from '../rows/release.ts'
import * as store from '../rows/store.ts'

/** The names of a project changed: they lead to its active release anew, by files at the edge and nothing else. */
export const reroutePipeline = (parts: DeployParts): Pipeline => ({
  run: (run) => run.step('route', (signal) => reroute(parts, run, signal)),
  // What could not be told to the edge is written down, and the edges are mended by it.
  onEnd: async () => {},
})

async function reroute(parts: DeployParts, run: Run, signal: AbortSignal): Promise<void> {
  const active = await store.findActive(parts.db, run.lane)
  if (!active?.routed) return
  const release = releaseOf(parts, active)
  await run.write(async (tx) => {
    const routes = await routesTo(tx, parts, active, release)
    const urls = urlsOf(parts, routes, await domains.secured(tx, run.lane))
    await store.update(tx, active.id, { routes: JSON.stringify(routes), urls })
  })
  const { serverId } = active
  const engine = openEngineTarget(parts, await servers.load(parts.db, run.orgId, serverId))
  await switchRoutes({ parts, run, at: { engine, serverId, projectId: run.lane }, release }, signal)
}
