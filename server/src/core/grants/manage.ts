import type { PageQuery } from '@slipway/contract/pages'
import { transaction } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import { type Caller, requirePermission } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { requireProject } from '../projects/find.ts'
import * as store from './store.ts'

type Db = Pick<BaseParts, 'db'>

/** What a project may use of servers that is not its own. */
export const listGrants = async ({ db }: Db, caller: Caller, projectId: string, query: PageQuery) =>
  store.list(db, await requireProject(db, caller, projectId), query)

/** What runs keeps running; the next deployment that needs it is refused. */
export async function revokeGrant({ db }: Db, caller: Caller, projectId: string, id: string) {
  requirePermission(caller, 'server:write')
  return transaction(db, async (tx) => {
    const project = await requireProject(tx, caller, projectId)
    const row = await store.revoke(tx, project, id, caller.userName)
    if (!row) throw notFound('grant')
    await record(tx, caller, 'grant.revoke', projectId, { grant: id, kind: row.kind, source: row.source })
    return { success: true as const }
  })
}
