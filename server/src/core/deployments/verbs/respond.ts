import { can } from '@slipway/contract/deployment-states'
import { transaction } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import { respond } from '../../../jobs/enqueue.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { append } from '../events/events-store.ts'
import { requireAllowed, requireDeployment } from '../rows/require-deployment.ts'
import { shape, stateOf } from '../rows/shape.ts'
import * as store from '../rows/store.ts'

type Parts = Pick<BaseParts, 'db' | 'transport' | 'changes'>

export async function respondToPrompt(
  parts: Parts,
  caller: Caller,
  id: string,
  answer: { promptId: string; action: 'approve' | 'reject'; value?: string | undefined },
) {
  const deployment = await transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    requireAllowed(can.respond(stateOf(row)))
    const taken = await respond(tx, parts.transport, {
      orgId: caller.orgId,
      id,
      gate: answer.promptId,
      answer: { action: answer.action },
    })
    if (!taken)
      throw new Refusal('not_now', `It waits for ${row.waitingOn?.promptId ?? 'nothing'}, not for ${answer.promptId}.`)
    await store.update(tx, id, { waitingOn: null })
    await append(tx, id, null, [
      { type: 'prompt', at: new Date(), data: { promptId: answer.promptId, action: answer.action } },
    ])
    await record(tx, caller, 'deployment.respond', id, { promptId: answer.promptId, action: answer.action })
    return requireDeployment(tx, caller, id)
  })
  parts.changes.send(id)
  return { success: true as const, deployment: shape(deployment, caller) }
}
