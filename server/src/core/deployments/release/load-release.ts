import type { DeployContext } from '../deploy-context.ts'
import { findActiveOn } from '../rows/engine-of-release.ts'
import { type Release, releaseOf } from '../rows/release.ts'
import * as store from '../rows/store.ts'

/** What the project's release is on this engine, by our own record of it. */
export async function wholeActive({
  parts,
  deployment,
}: Pick<DeployContext, 'parts' | 'deployment'>): Promise<Release> {
  const row = await store.load(parts.db, deployment.orgId, deployment.id)
  return releaseOf(parts, await findActiveOn(parts.db, row))
}

export async function frozenRelease({
  parts,
  deployment,
}: Pick<DeployContext, 'parts' | 'deployment'>): Promise<Release> {
  const row = await store.load(parts.db, deployment.orgId, deployment.id)
  if (row.release === null) throw new Error('a rollout without a release')
  return releaseOf(parts, row)
}
