import { can } from '@slipway/contract/deployment-states'
import { transaction } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import { submit } from '../../../jobs/enqueue.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { type RestartInput, tell } from '../converge/restart.ts'
import { requireAllowed, requireDeployment } from '../rows/require-deployment.ts'
import { shape, stateOf } from '../rows/shape.ts'

type Submitting = Pick<BaseParts, 'db' | 'transport'>

/**
 * New containers of the same release, one after the other: nothing that asks notices. It comes in its turn, as a deployment
 * does; its services are `pending` until then, `deploying` while it lasts, and then as their engine says.
 */
export async function restartDeployment(parts: Submitting, caller: Caller, id: string) {
  return transaction(parts.db, async (tx) => {
    const { orgId, projectId, ...deployment } = await requireDeployment(tx, caller, id)
    requireAllowed(can.restart(stateOf({ orgId, projectId, ...deployment })))
    const input: RestartInput = { deployment: id }
    const supersede = ['restart']
    const run = { id: newId('run'), lane: projectId, kind: 'restart', orgId, input, supersede }
    await submit(tx, parts.transport, run)
    await tell(tx, orgId, id, () => ({ status: 'pending', error: null }))
    await record(tx, caller, 'deployment.restart', id)
    return { success: true as const, deployment: shape(await requireDeployment(tx, caller, id), caller) }
  })
}
