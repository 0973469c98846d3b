import type { Queryable, Tx } from '../../../db/database.ts'
import type { StoredRoute } from '../../../db/deployment-tables.ts'
import { isFailure } from '../../../errors.ts'
import { UNDO_PENDING } from '../../../jobs/steps.ts'
import { fillFor } from '../../domains/certificates/install.ts'
import * as certificates from '../../domains/certificates/store.ts'
import * as domains from '../../domains/names/store.ts'
import type { BaseParts } from '../../parts.ts'
import { edgeSettings } from '../../servers/edge-settings.ts'
import { converge, newJournal } from '../converge/converge.ts'
import { routesAt, routesWritten } from '../converge/edge-names.ts'
import { contentsOf } from '../converge/edges.ts'
import { machinesOn } from '../converge/execute.ts'
import { reroute } from '../converge/planning/wanted.ts'
import { forgetOtherPorts, setRouted } from '../converge/settle-store.ts'
import { standingOf } from '../converge/standing.ts'
import { frozenRelease } from '../release/load-release.ts'
import { portOf, type Release } from '../release/release.ts'
import { namesOf } from '../rows/overrides.ts'
import * as store from '../rows/store.ts'
import type { Because, DeployContext } from '../story/deploy-context.ts'
import { openGateway } from './ground.ts'

/**
 * Makes the names of the project lead to it. That they do is written down before the edge hears of it: whoever makes an
 * edge equal to what is written down then never takes away a route that is just being opened.
 */
export async function routeToRelease(context: DeployContext, signal: AbortSignal): Promise<void> {
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
  await leadNames(context, release, signal)
}

type Place = { projectId: string; serverId: string }

/** Names that lead to the active release lead to these ports as well; whether that is a change. */
export async function leadToBoth(tx: Tx, { projectId, serverId }: Place, next: StoredRoute[]): Promise<boolean> {
  const active = await store.findActive(tx, projectId)
  if (!active?.routed || active.serverId !== serverId) return false
  const both = active.routes.map((route) => {
    const other = next.find((one) => isSame(one, route))
    return other && other.port !== route.port ? { ...route, also: other.port } : route
  })
  if (!both.some(({ also }) => also !== undefined)) return false
  await store.update(tx, active.id, { routes: JSON.stringify(both) })
  return true
}

const isSame = (a: StoredRoute, b: StoredRoute) =>
  a.host === b.host && a.pathPrefix === b.pathPrefix && a.service === b.service

export async function routesTo(
  tx: Queryable,
  { keys }: Pick<BaseParts, 'keys'>,
  deployment: Pick<store.DeploymentRow, 'id' | 'projectId' | 'overrides'>,
  release: Release,
): Promise<StoredRoute[]> {
  const names = await namesOf({ db: tx, keys }, deployment)
  return names.flatMap(({ host, pathPrefix, service: said, port }) => {
    const service = leadsTo(release, said)
    return service === null ? [] : [{ host, pathPrefix, service, port: port || portOf(release, service) }]
  })
}

/** `secured`: the names that have a certificate. */
export function urlsOf({ config }: Pick<BaseParts, 'config'>, routes: StoredRoute[], secured: Set<string>): string[] {
  const { publicHttpPort, publicHttpsPort } = config.edge
  const plain = publicHttpPort === 80 ? '' : `:${publicHttpPort}`
  const safe = publicHttpsPort === 443 ? '' : `:${publicHttpsPort}`
  return routes.map(({ host, pathPrefix }) => {
    const origin = secured.has(host) ? `https://${host}${safe}` : `http://${host}${plain}`
    return `${origin}${pathPrefix ?? ''}`
  })
}

/** A name is asked for before it is known which services there are: one that there is not leads to the main one. */
function leadsTo({ services, main }: Release, said: string): string | null {
  const names = services.filter(({ job }) => !job).map(({ service }) => service)
  if (names.includes(said)) return said
  return names.length === 1 ? (names[0] ?? null) : main && names.includes(main) ? main : null
}

/** The names lead to the release that is active, or nowhere, as before. */
export async function dropRoutes(context: DeployContext, signal: AbortSignal, because: Because) {
  const { deployment, run } = context
  await run.write(async (tx) => {
    const active = await store.findActive(tx, deployment.projectId)
    await setRouted(tx, deployment.projectId, active?.id ?? null)
    // What listens elsewhere still runs.
    const { routes } = await store.load(tx, deployment.orgId, run.id)
    await leadToBoth(tx, deployment, routes)
  })
  const enough = AbortSignal.timeout(because === 'failed' ? PATIENT_MS : context.promptMs())
  try {
    await tellEdge(context, AbortSignal.any([signal, enough]))
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    // Without an edge there is no route that could be left.
    if (isFailure(error, 'edge', 'edge_missing')) return undefined
    if (because === 'failed') throw error
    return UNDO_PENDING
  }
}

const PATIENT_MS = 30_000

/** By then it is written down where they lead. */
async function leadNames(context: DeployContext, release: Release, signal: AbortSignal): Promise<void> {
  const { parts, engine, deployment, server, run } = context
  const at = { engine, serverId: server.id, projectId: deployment.projectId }
  const machines = machinesOn({
    ...{ runtime: parts.runtime, engine, server: server.id, project: at.projectId, specs: [], patienceMs: 0 },
    names: {
      observe: async (within) => (await routesAt(parts, at, within)) ?? [],
      lead: () => tellEdge(context, signal),
    },
  })
  const routes = await routesWritten(parts.db, at)
  const wanted = reroute({ ...standingOf(parts, at, release, []), routes })
  await converge(machines, wanted, { journal: newJournal(), guard: () => run.assertOwned(), signal })
}

/** Read through the run: an owner who has lost it learns so before it writes. */
async function tellEdge({ parts, engine, deployment, server, run }: DeployContext, signal: AbortSignal): Promise<void> {
  const wanted = () => run.write((tx) => domains.routesOn(tx, server.id, deployment.projectId))
  await parts.edge.route(engine, deployment.projectId, wanted, signal)
}
