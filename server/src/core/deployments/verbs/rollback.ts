import { can } from '@slipway/contract/deployment-states'
import { deployments } from '@slipway/contract/deployments'
import { transaction } from '../../../db/database.ts'
import { type Caller, requirePermission } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { requireProject } from '../../projects/find.ts'
import { overridesOf } from '../rows/overrides.ts'
import { requireAllowed, requireDeployment } from '../rows/require-deployment.ts'
import { stateOf } from '../rows/shape.ts'
import * as store from '../rows/store.ts'
import { submitDeployment } from './submit.ts'
import { withDeployment } from './with-deployment.ts'

type Parts = Pick<BaseParts, 'db' | 'transport' | 'keys' | 'config'>

/** A rollback is a deployment of its own: the artifact and frozen configuration of the old one; built again only where its image is gone. */
export async function rollback(parts: Parts, caller: Caller, id: string) {
  return transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    requirePermission(caller, deployments.rollback.alsoNeeds)
    requireAllowed(can.rollback(stateOf(row)))
    const project = await requireProject(tx, caller, row.projectId)
    await store.pauseAutoDeploy(tx, project.id)
    const { message: _, ...asked } = row.request
    const request = { ...asked, rollbackOf: id }
    const started = await submitDeployment(tx, parts, caller, {
      project,
      serverId: row.serverId,
      trigger: 'rollback',
      source: row.source,
      request,
      overrides: row.overrides === null ? null : overridesOf(parts, row),
    })
    return withDeployment(tx, caller, started)
  })
}
