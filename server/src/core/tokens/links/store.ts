import type { InstanceLink } from '@slipway/contract/link'
import type { Page, PageQuery } from '@slipway/contract/pages'
import { type Insertable, sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Tables } from '../../../db/tables.ts'
import { startOf, toPage } from '../../page.ts'
import type { TokenScope } from '../store.ts'

/** Whoever sees a token sees its link. */
const select = (db: Queryable, scope: TokenScope) => {
  const rows = db
    .selectFrom('instanceLink')
    .innerJoin('token', 'token.id', 'instanceLink.tokenId')
    .innerJoin('person', 'person.id', 'token.userId')
    .selectAll('instanceLink')
    .select(['token.lastUsedAt', 'person.name as ownerName'])
    .where('instanceLink.orgId', '=', scope.orgId)
    .where('token.orgId', '=', scope.orgId)
  return scope.userId === null ? rows : rows.where('token.userId', '=', scope.userId)
}
type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>

export async function list(db: Queryable, scope: TokenScope, query: PageQuery): Promise<Page<InstanceLink>> {
  const rows = await select(db, scope)
    .where('instanceLink.id', '<', startOf(query))
    .orderBy('instanceLink.id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return toPage(rows, query, (row) => row.id, shape)
}

export const find = (db: Queryable, scope: TokenScope, id: string) =>
  select(db, scope).where('instanceLink.id', '=', id).executeTakeFirst()

export const findOfToken = (db: Queryable, orgId: string, tokenId: string) =>
  db.selectFrom('instanceLink').selectAll().where('orgId', '=', orgId).where('tokenId', '=', tokenId).executeTakeFirst()

/** Which of these there still are, each in the organization that is named beside it. */
export async function linksStillThere(db: Queryable, asked: { id: string; orgId: string }[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select l.id from unnest(${asked.map(({ id }) => id)}::text[], ${asked.map(({ orgId }) => orgId)}::text[])
      as asked (id, org_id)
    join instance_link l on l.id = asked.id and l.org_id = asked.org_id`.execute(db)
  return rows.map(({ id }) => id)
}

export async function insert(db: Queryable, link: Insertable<Tables['instanceLink']>): Promise<void> {
  await db.insertInto('instanceLink').values(link).execute()
}

const shape = (row: Row): InstanceLink => ({
  id: row.id,
  name: row.name,
  instanceId: row.instanceId,
  tokenId: row.tokenId,
  createdBy: { id: row.createdBy, name: row.ownerName },
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
})
