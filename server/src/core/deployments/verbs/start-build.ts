import { can } from '@slipway/contract/deployment-states'
import { transaction } from '../../../db/database.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { requireAllowed, requireDeployment } from '../rows/require-deployment.ts'
import { shape, stateOf } from '../rows/shape.ts'

type Parts = Pick<BaseParts, 'db' | 'transport'>

/** A queued deployment starts by itself as soon as its project is free; asking again wakes whoever should be at it. */
export async function startBuild(parts: Parts, caller: Caller, id: string) {
  return transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    requireAllowed(can.build(stateOf(row)))
    await parts.transport.wake(tx, row.projectId)
    await record(tx, caller, 'deployment.build', id)
    return { success: true as const, deployment: shape(row, caller) }
  })
}
