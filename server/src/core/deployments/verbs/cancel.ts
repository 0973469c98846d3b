import { can } from '@slipway/contract/deployment-states'
import { deployments } from '@slipway/contract/deployments'
import { transaction } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import { cancel } from '../../../jobs/enqueue.ts'
import { type Caller, requirePermission } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { scheduleSettle } from '../converge/schedule-settle.ts'
import { append } from '../events/events-store.ts'
import { requireAllowed, requireDeployment } from '../rows/require-deployment.ts'
import { actorOf, shape, stateOf } from '../rows/shape.ts'
import * as store from '../rows/store.ts'

type Parts = Pick<BaseParts, 'db' | 'transport' | 'changes'>

/** An accepted cancel wins: whatever the run was about to do, it ends as cancelled. */
export async function cancelDeployment(parts: Parts, caller: Caller, id: string) {
  const deployment = await transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    requirePermission(caller, deployments.cancel.alsoNeeds)
    requireAllowed(can.cancel(stateOf(row)))
    const done = await cancel(tx, parts.transport, { orgId: caller.orgId, id, endParked: true })
    if (done === null) throw new Refusal('not_now', 'It is ending already.')
    const at = new Date()
    const over = done === 'cancelled'
    const end = { status: 'cancelled', finishedAt: at, waitingOn: null } as const
    const cancelledBy = JSON.stringify(actorOf(caller))
    await store.update(tx, id, { ...(over ? end : { cancelling: true, waitingOn: null }), cancelledBy })
    // At a gate an image may have been built already.
    if (over && row.images.length > 0) await scheduleSettle(tx, parts.transport, row)
    const data = { status: over ? 'cancelled' : row.status, cancelling: !over }
    await append(tx, id, null, [
      { type: 'status', at, data },
      ...(over ? [{ type: 'end' as const, at, data: { status: 'cancelled' } }] : []),
    ])
    await record(tx, caller, 'deployment.cancel', id)
    return requireDeployment(tx, caller, id)
  })
  parts.changes.send(id)
  return { success: true as const, deployment: shape(deployment, caller) }
}
