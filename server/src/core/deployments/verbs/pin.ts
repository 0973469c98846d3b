import { can } from '@slipway/contract/deployment-states'
import { transaction } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { requireAllowed, requireDeployment } from '../rows/require-deployment.ts'
import { shape, stateOf } from '../rows/shape.ts'
import * as store from '../rows/store.ts'

const MOST_PINS = 10

export async function pinDeployment({ db }: Pick<BaseParts, 'db'>, caller: Caller, id: string, pinned: boolean) {
  return transaction(db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    if (pinned) requireAllowed(can.pin(stateOf(row)))
    if (pinned && !row.pinned && (await store.countPinned(tx, row.projectId)) >= MOST_PINS) {
      throw new Refusal('not_now', `A project can have at most ${MOST_PINS} pinned deployments.`, {
        hint: 'Unpin another one first.',
      })
    }
    await store.update(tx, id, { pinned })
    await record(tx, caller, pinned ? 'deployment.pin' : 'deployment.unpin', id)
    return { success: true as const, deployment: shape({ ...row, pinned }, caller) }
  })
}
