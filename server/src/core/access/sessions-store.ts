import type { Session } from '@slipway/contract/me'
import type { Page, PageQuery } from '@slipway/contract/pages'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Queryable } from '../../db/database.ts'
import { startOf, toPage } from '../page.ts'

type SessionShown = z.output<typeof Session>

/** A session belongs to a person and to no organization. */
export async function list(
  db: Queryable,
  person: { userId: string; current: string },
  query: PageQuery,
): Promise<Page<SessionShown>> {
  const rows = await db
    .selectFrom('session')
    .select(['id', 'ipAddress', 'userAgent', 'createdAt', 'updatedAt', 'expiresAt'])
    .where('userId', '=', person.userId)
    .where('expiresAt', '>', sql<Date>`now()`)
    .where('id', '<', startOf(query))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return toPage(
    rows,
    query,
    (row) => row.id,
    (row) => ({
      id: row.id,
      current: row.id === person.current,
      address: row.ipAddress || null,
      userAgent: row.userAgent || null,
      createdAt: row.createdAt.toISOString(),
      renewedAt: row.updatedAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
    }),
  )
}

export async function end(db: Queryable, userId: string, id: string): Promise<boolean> {
  const done = await db.deleteFrom('session').where('userId', '=', userId).where('id', '=', id).executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** The session that took the place of another one when its person chose a password: it works where that did. */
export async function beginAnew(db: Queryable, token: string, orgId: string): Promise<void> {
  await db
    .updateTable('session')
    .set({ activeOrgId: orgId, passwordChosenAt: sql`now()` })
    .where('token', '=', token)
    .execute()
}

/** Whether the password was chosen in this very session, a moment ago. */
export async function choseItsPassword(db: Queryable, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('session')
    .select('id')
    .where('id', '=', id)
    .where('passwordChosenAt', '>', sql<Date>`now() - interval '15 minutes'`)
    .executeTakeFirst()
  return row !== undefined
}

/** The organization that the session of this token works in; its id. */
export async function enter(db: Queryable, token: string, orgId: string): Promise<string> {
  const { id } = await db
    .updateTable('session')
    .set({ activeOrgId: orgId })
    .where('token', '=', token)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
