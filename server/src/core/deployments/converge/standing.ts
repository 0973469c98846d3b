import type { StoredRoute } from '../../../db/deployment-tables.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { BaseParts } from '../../parts.ts'
import type { Release } from '../rows/release.ts'
import { networksOf } from './ground.ts'
import type { Spec } from './planning/operation.ts'
import { resourcesOf, stopsFirst } from './planning/resources.ts'
import type { Standing } from './planning/wanted.ts'

type Hashing = { runtime: Pick<BaseParts['runtime'], 'specHash'> }
type Place = { serverId: string; projectId: string }

/** A release as a plan wants it. */
export function standingOf(
  { runtime }: Hashing,
  { serverId, projectId }: Place,
  release: Release,
  routes: StoredRoute[],
): Standing {
  return {
    server: serverId,
    services: release.services.map((spec) => specOf(spec, runtime.specHash(spec), release)),
    routes: routes.map(({ host, pathPrefix, service, port }) => ({ host, pathPrefix, service, port })),
    networks: networksOf(projectId, release).map(({ name }) => name),
  }
}

/** Without what runs in it: a plan is for everybody who may see the deployment. */
function specOf(spec: ServiceSpec, specHash: string, { after = {} }: Pick<Release, 'after'>): Spec {
  const { service, deployment, job = false, replicas, order, monitorMs } = spec
  return {
    ...{ service, deployment, specHash, job, replicas, monitorMs },
    after: (after[service] ?? []).map(({ service: other, required }) => ({ service: other, required })),
    ...resourcesOf(spec),
    order: stopsFirst(spec) ? 'stop-first' : order,
  }
}
