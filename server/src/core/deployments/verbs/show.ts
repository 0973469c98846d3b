import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { queueOf } from '../rows/queue-store.ts'
import { requireDeployment } from '../rows/require-deployment.ts'
import { shape } from '../rows/shape.ts'
import * as store from '../rows/store.ts'

export async function showDeployment({ db }: Pick<BaseParts, 'db'>, caller: Caller, id: string) {
  const row = await requireDeployment(db, caller, id)
  const queue = row.status === 'queued' ? await queueOf(db, row.orgId, id) : null
  return { ...shape(row, caller), plan: row.plan, queue }
}

/** Newest first, and one more than the page holds. */
export async function readDeployments({ db }: Pick<BaseParts, 'db'>, caller: Caller, query: store.ListQuery) {
  if (query.number !== undefined && query.projectId === undefined && caller.projectId === null)
    throw new Refusal('invalid_request', 'A number means something within a project only.', {
      field: 'projectId',
      hint: 'Send projectId beside number.',
    })
  return (await store.list(db, caller, query)).map((row) => shape(row, caller))
}
