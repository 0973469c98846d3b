import type { Queryable } from '../../../db/database.ts'
import type { BaseParts } from '../../parts.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { observeProject } from '../converge/observe-project.ts'
import { plan } from '../converge/plan.ts'
import { rollout } from '../converge/planning/wanted.ts'
import { showPlan } from '../converge/show-plan.ts'
import { standingOf } from '../converge/standing.ts'
import type { routesTo } from '../routes/release-routes.ts'
import { findActiveOn } from '../rows/engine-of-release.ts'
import { type Release, releaseOf } from '../rows/release.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'edge' | 'config'>
/** In place of the id that a deployment gets when there is one. */
export const NEXT = 'next'

export type Place = { orgId: string; projectId: string; serverId: string }
export type Active = Awaited<ReturnType<typeof activeOn>>

/** The release that is active on the engine that it is about. */
export async function activeOn({ db }: { db: Queryable }, { orgId, projectId, serverId }: Place) {
  const { engineId } = await servers.load(db, orgId, serverId)
  return findActiveOn(db, { projectId, serverId, engineId })
}

/** What rolling a release out would do to what is there. */
export async function preview(
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
