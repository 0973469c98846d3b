import { can } from '@slipway/contract/deployment-states'
import type { ServiceConfig } from '@slipway/contract/services'
import type { Queryable } from '../../../db/database.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { observeProject } from '../converge/observe-project.ts'
import { plan } from '../converge/plan.ts'
import { rollout } from '../converge/planning/wanted.ts'
import { showPlan } from '../converge/show-plan.ts'
import { standingOf } from '../converge/standing.ts'
import { type Release, releaseOf } from '../release/release.ts'
import { mountsOf, publishedOf } from '../release/spec-of-settings.ts'
import { keepUnchanged } from '../release/unchanged.ts'
import { routesTo } from '../rollout/switch-routes.ts'
import { findActiveOn } from '../rows/engine-of-release.ts'
import { stateOf } from '../rows/shape.ts'
import type * as store from '../rows/store.ts'
import { allowed, requireDeployment } from './find.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'edge' | 'config'>
/** In place of the id that a deployment gets when there is one. */
const NEXT = 'next'

/** What a rollback would do now. Looks at the server, and changes nothing. */
export async function previewRollback(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const row = await requireDeployment(parts.db, caller, id)
  allowed(can.rollback(stateOf(row)))
  const old = releaseOf(parts, row)
  const before = await activeOn(parts, row)
  const digest = (of: Pick<store.DeploymentRow, 'services'> | undefined, name: string) =>
    of?.services.find((one) => one.name === name)?.digest ?? null
  const isSame = (name: string) => digest(row, name) !== null && digest(row, name) === digest(before, name)
  const next = old.services.map((spec) => ({ ...spec, deployment: NEXT }))
  const services = keepUnchanged(next, releaseOf(parts, before).services, isSame)
  const routes = await routesTo(parts.db, parts, row, old)
  const shown = await preview(parts, row, { ...old, services }, routes, before, signal)
  const engine = openEngineTarget(parts, await servers.load(parts.db, row.orgId, row.serverId))
  const rebuilt: string[] = []
  for (const { service, image } of old.services)
    if (!(await parts.runtime.images.exists(engine, image, { signal }))) rebuilt.push(service)
  return { plan: shown, rebuilt }
}

type Place = { orgId: string; projectId: string; serverId: string }
type Active = Awaited<ReturnType<typeof activeOn>>

/** The release that is active on the engine that it is about. */
async function activeOn({ db }: { db: Queryable }, { orgId, projectId, serverId }: Place) {
  const { engineId } = await servers.load(db, orgId, serverId)
  return findActiveOn(db, { projectId, serverId, engineId })
}

/** What rolling a release out would do to what is there. */
async function preview(
  parts: Parts,
  place: Place,
  release: Release,
  routes: Awaited<ReturnType<typeof routesTo>>,
  active: Active,
  signal: AbortSignal,
) {
  const engine = openEngineTarget(parts, await servers.load(parts.db, place.orgId, place.serverId))
  const { now, isSent } = await observeForPreview(parts, { engine, ...place }, signal)
  const leading = routes.filter((one) => !isSent(one))
  const standing = standingOf(parts, place, release, leading)
  const before = active ? standingOf(parts, place, releaseOf(parts, active), active.routes) : null
  return showPlan(plan({ [place.serverId]: now }, rollout(standing, before, NEXT)), now)
}

/** Names that send visitors elsewhere go on doing so, and whether they are sent to https is for certificates to say. */
export async function observeForPreview(parts: Parts, at: Parameters<typeof observeProject>[1], signal: AbortSignal) {
  const seen = await observeProject(parts, at, signal)
  const isSent = ({ host }: { host: string }) => seen.routes.some((one) => one.host === host && one.service === '')
  const routes = seen.routes.filter((one) => !isSent(one)).map(({ manner: _, ...one }) => one)
  return { now: { ...seen, routes }, isSent }
}

export type Unbuilt = Place & { settings: { name: string; config: ServiceConfig }[] }
type Expected = { release: Release; routes: Awaited<ReturnType<typeof routesTo>>; active: Active }

/** Of a deployment that is not built: in the transaction that would have begun it, so that its settings count. */
export async function expectRelease(
  db: Queryable,
  parts: Pick<BaseParts, 'keys'>,
  { settings, ...place }: Unbuilt,
): Promise<Expected> {
  const active = await activeOn({ db }, place)
  const before = releaseOf(parts, active)
  const names = before.services.map(({ service }) => service)
  const added = settings.filter(({ name }) => !names.includes(name))
  const made = added.length + names.length === 0 ? [{ name: 'web', config: {} }] : added
  const services = [...before.services, ...made.map((one) => unbuilt(place, one, before))]
  const ports = Object.fromEntries(made.map(({ name, config }) => [name, config.port ?? 8080]))
  const release = {
    ...before,
    services: services.map((spec) => ({ ...spec, deployment: NEXT })),
    ports: { ...before.ports, ...ports },
  }
  const row = { id: NEXT, projectId: place.projectId, overrides: null }
  return { release, active, routes: await routesTo(db, parts, row, release) }
}

/** What of a spec is known before there is an image. */
function unbuilt(
  { orgId, projectId }: Place,
  { name, config }: Unbuilt['settings'][number],
  { services }: Release,
): ServiceSpec {
  const mounts = services.flatMap(({ volumes }) => volumes)
  const ports = publishedOf(config)
  return {
    ...{ org: orgId, project: projectId, service: name, deployment: NEXT, image: '', environment: {} },
    ...{ replicas: config.replicas ?? 1, stopGraceMs: 0, networks: [], init: true, restart: 'always' },
    ...{ order: 'start-first', monitorMs: 0, ...(ports && { ports }) },
    healthcheck: { kind: 'none', intervalMs: 0, timeoutMs: 0, retries: 0, startPeriodMs: 0 },
    volumes: mountsOf(config, (key) => mounts.find((mount) => mount.key === key)?.name ?? key),
  }
}

const ASSUMES =
  'Images are made when it is deployed. Until then every service counts as changed, and a source that names its own services is taken to name those that run now.'

export async function previewDeployment(
  parts: Parts,
  { orgId, projectId, serverId }: Place,
  { release, routes, active }: Expected,
  signal: AbortSignal,
) {
  const shown = await preview(parts, { orgId, projectId, serverId }, release, routes, active, signal)
  const ids = { project_id: projectId, server_id: serverId }
  return { success: true as const, dryRun: true as const, ...ids, plan: shown, assumes: ASSUMES }
}
