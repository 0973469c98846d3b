import type { Verdict } from '@slipway/contract/deployment-states'
import type { Queryable } from '../../../db/database.ts'
import { notFound, Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import * as store from './store.ts'

export async function requireDeployment(db: Queryable, caller: Caller, id: string): Promise<store.DeploymentRow> {
  const deployment = await store.find(db, caller, id)
  if (!deployment) throw notFound('deployment')
  return deployment
}

/** Refuses what the state table does not allow, in its words. */
export function requireAllowed(verdict: Verdict): void {
  if (!verdict.allowed) throw new Refusal('not_now', verdict.reason ?? 'This cannot be done now.')
}
