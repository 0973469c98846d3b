import type { BuildAccess } from '@slipway/contract/deployments'
import type { ServiceConfig } from '@slipway/contract/services'
import { type Queryable, type Tx, transaction } from '../../../db/database.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { listServices } from '../../projects/settings-store.ts'
import { mountsOf, publishedOf } from '../release/spec-of-settings.ts'
import { routesTo } from '../routes/release-routes.ts'
import { ownSettings } from '../rows/overrides.ts'
import { type Release, releaseOf } from '../rows/release.ts'
import { acceptDeployment, type CreateParts } from './create.ts'
import { type Active, activeOn, NEXT, type Place, preview } from './preview.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'edge' | 'config'>
type Looking = CreateParts & Pick<BaseParts, 'runtime' | 'edge'>

/** The same checks with the same settings, of which nothing stays: what it would do to the server as that is now. */
export async function tryDeployment(parts: Looking, caller: Caller, body: BuildAccess, signal: AbortSignal) {
  const expected = await inVain(parts.db, async (tx) => {
    const { project, serverId, overrides } = await acceptDeployment(tx, parts, caller, body)
    const place = { orgId: project.orgId, projectId: project.id, serverId }
    const { data } = await listServices(tx, project, { limit: MOST_SERVICES })
    const ofProject = data.map(({ name, config }) => ({ name, config }))
    const settings = ownSettings(overrides ?? { services: [], names: [] }, ofProject)
    return { place, release: await expectRelease(tx, parts, { ...place, settings }) }
  })
  await record(parts.db, caller, 'deployment.preview', body.projectId)
  return previewDeployment(parts, expected.place, expected.release, signal)
}

const MOST_SERVICES = 200

/** A transaction that is never committed. */
async function inVain<T>(db: BaseParts['db'], work: (tx: Tx) => Promise<T>): Promise<T> {
  const enough = new Error('This transaction is for looking only.')
  let found: { result: T } | undefined
  await transaction(db, async (tx) => {
    found = { result: await work(tx) }
    throw enough
  }).catch((error) => {
    if (error !== enough) throw error
  })
  if (!found) throw enough
  return found.result
}

type Unbuilt = Place & { settings: { name: string; config: ServiceConfig }[] }
type Expected = { release: Release; routes: Awaited<ReturnType<typeof routesTo>>; active: Active }

/** Of a deployment that is not built: in the transaction that would have begun it, so that its settings count. */
async function expectRelease(
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

async function previewDeployment(
  parts: Parts,
  { orgId, projectId, serverId }: Place,
  { release, routes, active }: Expected,
  signal: AbortSignal,
) {
  const shown = await preview(parts, { orgId, projectId, serverId }, release, routes, active, signal)
  const ids = { project_id: projectId, server_id: serverId }
  return { success: true as const, dryRun: true as const, ...ids, plan: shown, assumes: ASSUMES }
}
