import type { Queryable } from '../../../db/database.ts'
import { isOfOrg } from './store.ts'

type OfProject = { orgId: string; projectId: string }

/** Where the newest deployment of a project is, or is to be. */
export async function newestServer(db: Queryable, { orgId, projectId }: OfProject): Promise<string | undefined> {
  const row = await db
    .selectFrom('deployment')
    .select('serverId')
    .where('projectId', '=', projectId)
    .where(isOfOrg(orgId))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.serverId
}

/** The numbers of those that are still there. */
export async function numbersOf(db: Queryable, orgId: string, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('deployment')
    .select(['id', 'number'])
    .where('orgId', '=', orgId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, number }) => [id, number]))
}
