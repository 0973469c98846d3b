import { can } from '@slipway/contract/deployment-states'
import { transaction } from '../../db/database.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { Platform } from '../platform.ts'
import { engineOf } from '../servers/engine-of.ts'
import * as servers from '../servers/store.ts'
import { allowed, requireDeployment } from './find.ts'
import { stateOf } from './shape.ts'
import * as store from './store.ts'

type Parts = Pick<Platform, 'db' | 'keys' | 'runtime'>

/** Deletes the deployment for good; its services only when it is the active one and that is meant. */
export async function removeDeployment(parts: Parts, caller: Caller, id: string, force: boolean, signal: AbortSignal) {
  const deployment = await requireDeployment(parts.db, caller, id)
  const verdict = can.remove(stateOf(deployment))
  if (!(force && deployment.active)) allowed(verdict)
  const engine = engineOf(parts, await servers.load(parts.db, deployment.orgId, deployment.serverId))
  if (deployment.active) {
    for (const { name } of deployment.services) {
      await parts.runtime.remove(engine, { project: deployment.projectId, service: name }, { signal })
    }
  }
  return transaction(parts.db, async (tx) => {
    await store.remove(tx, caller.orgId, id)
    await record(tx, caller, 'deployment.delete', id, { number: deployment.number, force })
    return { success: true as const }
  })
}
