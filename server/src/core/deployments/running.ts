import { can } from '@slipway/contract/deployment-states'
import { transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { Platform } from '../platform.ts'
import { engineOf } from '../servers/engine-of.ts'
import * as servers from '../servers/store.ts'
import { allowed, requireDeployment } from './find.ts'
import { shape, stateOf } from './shape.ts'
import type { DeploymentRow } from './store.ts'

type Parts = Pick<Platform, 'db' | 'keys' | 'runtime'>

const engineFor = async (parts: Parts, deployment: DeploymentRow) =>
  engineOf(parts, await servers.load(parts.db, deployment.orgId, deployment.serverId))

/** What the engine says about this deployment's containers now. */
export async function showInfo(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const deployment = await requireDeployment(parts.db, caller, id)
  const tasks = await parts.runtime.tasks(await engineFor(parts, deployment), deployment.projectId, { signal })
  return { data: tasks.filter((task) => task.deployment === id) }
}

export async function showUsage(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const deployment = await requireDeployment(parts.db, caller, id)
  const usage = await parts.runtime.usage(await engineFor(parts, deployment), deployment.projectId, { signal })
  return { data: usage }
}

/** New containers of the same release, one after the other: nothing that asks notices. */
export async function restartDeployment(parts: Parts, caller: Caller, id: string, signal: AbortSignal) {
  const deployment = await requireDeployment(parts.db, caller, id)
  allowed(can.restart(stateOf(deployment)))
  const engine = await engineFor(parts, deployment)
  const token = newId('req')
  for (const { name } of deployment.services) {
    await parts.runtime.restart(
      engine,
      { project: deployment.projectId, service: name },
      { signal, token, deployment: id },
    )
  }
  return transaction(parts.db, async (tx) => {
    await record(tx, caller, 'deployment.restart', id)
    return { success: true as const, deployment: shape(deployment, caller) }
  })
}
