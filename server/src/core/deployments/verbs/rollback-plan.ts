import { can } from '@slipway/contract/deployment-states'
import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { keepUnchanged } from '../release/unchanged.ts'
import { routesTo } from '../routes/release-routes.ts'
import { releaseOf } from '../rows/release.ts'
import { requireAllowed, requireDeployment } from '../rows/require-deployment.ts'
import { stateOf } from '../rows/shape.ts'
import type * as store from '../rows/store.ts'
import { activeOn, NEXT, preview } from './preview.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'edge' | 'config'>

/** What a rollback would do now. Looks at the server, and changes nothing. */
export async function showRollbackPlan(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const row = await requireDeployment(parts.db, caller, id)
  requireAllowed(can.rollback(stateOf(row)))
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
