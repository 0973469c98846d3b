import type { ServiceVersions } from '@slipway/contract/decisions'
import { can } from '@slipway/contract/deployment-states'
import { transaction } from '../../../db/database.ts'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { Refusal } from '../../../errors.ts'
import { respond } from '../../../jobs/enqueue.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { append } from '../events/events-store.ts'
import { type Choice, DECISION } from '../rollout/decide.ts'
import { beforeOf, fatesOf, type Released } from '../rollout/versions.ts'
import { requireAllowed, requireDeployment } from '../rows/require-deployment.ts'
import { actorOf, shape, stateOf } from '../rows/shape.ts'
import * as store from '../rows/store.ts'

export type ChooseParts = Pick<BaseParts, 'db' | 'transport' | 'changes' | 'keys'>

/** Decides about a deployment of which only some services came up. Of two who decide at once, the first counts. */
export async function choose(parts: ChooseParts, caller: Caller, id: string, action: Choice['action']) {
  const decision = action === 'keep' ? 'kept' : 'rejected'
  const answer = await transaction(parts.db, async (tx) => {
    const row = await requireDeployment(tx, caller, id)
    requireAllowed(can.decide(stateOf(row)))
    const taken = await respond(tx, parts.transport, { orgId: caller.orgId, id, gate: DECISION, answer: { action } })
    if (!taken) throw new Refusal('not_now', 'It does not await a decision.')
    const active = await store.findActive(tx, row.projectId)
    await store.update(tx, id, { decision, waitingOn: null, decidedBy: JSON.stringify(actorOf(caller)) })
    await append(tx, id, null, [{ type: 'decision', at: new Date(), data: { decision, by: caller.userName } }])
    await record(tx, caller, `deployment.${action}`, id, { projectId: row.projectId, number: row.number })
    const services = versionsOf(parts, row, active, action)
    return { success: true as const, deployment: shape(await requireDeployment(tx, caller, id), caller), services }
  })
  parts.changes.send(id)
  return answer
}

/** Per service: what there was, what there is, and what there will be. */
function versionsOf(
  parts: Pick<BaseParts, 'keys'>,
  row: Released,
  active: Released | undefined,
  action: Choice['action'],
): ServiceVersions[] {
  const before = beforeOf(row, active)
  return fatesOf(parts, row, active).map(({ name, ran, runs, ifKept, ifRejected }) => {
    const version = (spec: ServiceSpec | null) => {
      const of = spec === ran ? before : row
      const digest = of?.services.find((one) => one.name === name)?.digest ?? null
      return spec ? { deploymentId: spec.deployment, image: spec.image, digest } : null
    }
    return { name, ran: version(ran), runs: version(runs), willRun: version(action === 'keep' ? ifKept : ifRejected) }
  })
}
