import type { Token } from '@slipway/contract/access'
import type { Page, PageQuery } from '@slipway/contract/pages'
import { type Insertable, sql } from 'kysely'
import type { z } from 'zod'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import { startOf, toPage } from '../page.ts'

export type TokenShown = z.output<typeof Token>

/** Whose tokens a caller sees: their own, or with `userId: null` all of the organization's. */
export type TokenScope = { orgId: string; userId: string | null }

const select = (db: Queryable, scope: TokenScope) => {
  const rows = db
    .selectFrom('token')
    .innerJoin('person', 'person.id', 'token.userId')
    .selectAll('token')
    .select('person.name as ownerName')
    .where('token.orgId', '=', scope.orgId)
  return scope.userId === null ? rows : rows.where('token.userId', '=', scope.userId)
}
type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>

export async function list(db: Queryable, scope: TokenScope, query: PageQuery): Promise<Page<TokenShown>> {
  const rows = await select(db, scope)
    .where('token.id', '<', startOf(query))
    .orderBy('token.id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return toPage(rows, query, (row) => row.id, shape)
}

export async function find(db: Queryable, scope: TokenScope, id: string): Promise<TokenShown | undefined> {
  const row = await select(db, scope).where('token.id', '=', id).executeTakeFirst()
  return row && shape(row)
}

export async function insert(db: Queryable, token: Insertable<Tables['token']>): Promise<void> {
  await db.insertInto('token').values(token).execute()
}

export async function remove(db: Queryable, scope: TokenScope, id: string): Promise<boolean> {
  let rows = db.deleteFrom('token').where('orgId', '=', scope.orgId).where('id', '=', id)
  if (scope.userId !== null) rows = rows.where('userId', '=', scope.userId)
  return (await rows.executeTakeFirst()).numDeletedRows > 0n
}

/** The age is asked here again because other processes note the same token. */
export async function markUsed(db: Queryable, ids: string[]): Promise<void> {
  await db
    .updateTable('token')
    .set({ lastUsedAt: sql`now()` })
    .where('id', '=', sql<string>`any(${ids})`)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<', sql<Date>`now() - interval '1 minute'`)]))
    .execute()
}

function shape(row: Row): TokenShown {
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    scopes: row.scopes,
    projectId: row.projectId,
    createdBy: { id: row.userId, name: row.ownerName },
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
