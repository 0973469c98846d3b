import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { Scene } from '../scene.ts'
import * as store from '../store.ts'
import { type Release, releaseOf } from './release.ts'

/** What the project's release is on this server, by our own record of it. */
export async function activeRelease({ parts, deployment }: Scene): Promise<ServiceSpec[]> {
  const active = await store.findActive(parts.db, deployment.projectId)
  return active?.serverId === deployment.serverId ? releaseOf(parts, active).services : []
}

export async function frozenRelease({ parts, deployment }: Scene): Promise<Release> {
  const row = await store.load(parts.db, deployment.orgId, deployment.id)
  if (row.release === null) throw new Error('a rollout without a release')
  return releaseOf(parts, row)
}
