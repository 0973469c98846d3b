import { can } from '@slipway/contract/deployment-states'
import { transaction } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import { submit } from '../../../jobs/enqueue.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { type RestartInput, tell } from '../converge/restart.ts'
import { partOf } from '../release/release.ts'
import { shape, stateOf } from '../rows/shape.ts'
import type { DeploymentRow } from '../rows/store.ts'
import { allowed, requireDeployment } from './find.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'config'>
type Submitting = Pick<BaseParts, 'db' | 'transport'>

const engineFor = async (parts: Parts, deployment: DeploymentRow) =>
  openEngineTarget(parts, await servers.load(parts.db, deployment.orgId, deployment.serverId))

/** What the engine says about this deployment's containers now. */
export async function showInfo(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const deployment = await requireDeployment(parts.db, caller, id)
  const tasks = await parts.runtime.tasks(await engineFor(parts, deployment), deployment.projectId, { signal })
  const isOf = partOf(parts, deployment)
  return { data: tasks.filter((task) => isOf(task.service, task.deployment)) }
}

/** What this deployment's containers use now. */
export async function showUsage(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const deployment = await requireDeployment(parts.db, caller, id)
  const usage = await parts.runtime.usage(
    await engineFor(parts, deployment),
    { project: deployment.projectId },
    { signal },
  )
  const isOf = partOf(parts, deployment)
  return { data: usage.filter((one) => isOf(one.service, one.deployment)) }
}

/**
 * New containers of the same release, one after the other: nothing that asks notices. It comes in its turn, as a deployment
 * does; its services are `pending` until then, `deploying` while it lasts, and then as their engine says.
 */
export async function restartDeployment(parts: Submitting, caller: Caller, id: string) {
  return transaction(parts.db, async (tx) => {
    const { orgId, projectId, ...deployment } = await requireDeployment(tx, caller, id)
    allowed(can.restart(stateOf({ orgId, projectId, ...deployment })))
    const input: RestartInput = { deployment: id }
    const supersede = ['restart']
    const run = { id: newId('run'), lane: projectId, kind: 'restart', orgId, input, supersede }
    await submit(tx, parts.transport, run)
    await tell(tx, orgId, id, () => ({ status: 'pending', error: null }))
    await record(tx, caller, 'deployment.restart', id)
    return { success: true as const, deployment: shape(await requireDeployment(tx, caller, id), caller) }
  })
}
