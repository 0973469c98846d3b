import { UNDO_PENDING } from '../../../jobs/steps.ts'
import { fillFor } from '../../domains/certificates/install.ts'
import * as certificates from '../../domains/certificates/store.ts'
import * as domains from '../../domains/names/store.ts'
import { edgeSettings } from '../../servers/edge-settings.ts'
import { DEADLINES } from '../converge/deadlines.ts'
import { switchRoutes } from '../converge/switch-routes.ts'
import type { Because, DeployContext, OnServer } from '../deploy-context.ts'
import { frozenRelease } from '../release/load-release.ts'
import { contentsOf } from '../routes/edges.ts'
import { openGateway } from '../routes/gateway.ts'
import { leadToBoth, routesTo, urlsOf } from '../routes/release-routes.ts'
import { forgetOtherPorts, setRouted } from '../routes/routed-store.ts'
import { tellEdgeIfAny } from '../routes/routes.ts'
import * as store from '../rows/store.ts'
import { promptMs } from './prompt.ts'

/**
 * Makes the names of the project lead to it. That they do is written down before the edge hears of it: whoever makes an
 * edge equal to what is written down then never takes away a route that is just being opened.
 */
export async function routeToRelease(context: OnServer, signal: AbortSignal): Promise<void> {
  const { parts, engine, deployment, server, run } = context
  const release = await frozenRelease(context)
  const open = await run.write(async (tx) => {
    const routes = await routesTo(tx, parts, deployment, release)
    const urls = urlsOf(parts, routes, await domains.secured(tx, deployment.projectId))
    await store.update(tx, run.id, { routes: JSON.stringify(routes), urls })
    await certificates.lookSoon(tx, deployment.projectId)
    await setRouted(tx, deployment.projectId, run.id)
    await forgetOtherPorts(tx, deployment.projectId)
    return routes.length > 0
  })
  await parts.edge.ensure(engine, edgeSettings(parts, server), signal, contentsOf(parts, server.id))
  const { orgId: org, projectId: project } = deployment
  if (open) await openGateway(parts, { engine, org, project, wait: true }, signal)
  await fillFor(parts, server, deployment.projectId, signal)
  await switchRoutes({ parts, run, at: edgeOf(context), release, mustHaveEdge: true }, signal)
}

/** The names lead to the release that is active, or nowhere, as before. */
export async function dropRoutes(context: OnServer, signal: AbortSignal, because: Because) {
  const { deployment, run } = context
  await run.write(async (tx) => {
    const active = await store.findActive(tx, deployment.projectId)
    await setRouted(tx, deployment.projectId, active?.id ?? null)
    // What listens elsewhere still runs.
    const { routes } = await store.load(tx, deployment.orgId, run.id)
    await leadToBoth(tx, deployment, routes)
  })
  const enough = AbortSignal.timeout(because === 'failed' ? DEADLINES.edgeMs : promptMs(run))
  try {
    // Without an edge there is no route that could be left.
    await tellEdgeIfAny(context.parts, edgeOf(context), run, AbortSignal.any([signal, enough]))
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    if (because === 'failed') throw error
    return UNDO_PENDING
  }
}

const edgeOf = ({ engine, server, deployment }: Pick<DeployContext, 'engine' | 'server' | 'deployment'>) => ({
  engine,
  serverId: server.id,
  projectId: deployment.projectId,
})
