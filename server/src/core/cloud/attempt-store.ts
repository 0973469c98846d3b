import { type Insertable, sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { deleteOld } from '../../db/delete-old.ts'
import type { Tables } from '../../db/tables.ts'

/** The two secrets of an attempt, as one sealed text. */
export const placeOfSecret = (orgId: string) => `link_attempt/${orgId}/secret`

/** Which attempt is meant: one that was begun again has another code, and what is heard of the old one is not its own. */
type Which = { orgId: string; userCode: string }

/** Takes the place of the one before. */
export async function put(
  db: Queryable,
  row: Omit<Insertable<Tables['linkAttempt']>, 'expiresAt' | 'askAt'>,
  expiresInSeconds: number,
): Promise<Date> {
  const { orgId, ...rest } = row
  const fields = { ...rest, expiresAt: inSeconds(expiresInSeconds), askAt: inSeconds(row.intervalSeconds), ended: null }
  const { expiresAt } = await db
    .insertInto('linkAttempt')
    .values({ orgId, ...fields })
    .onConflict((conflict) => conflict.column('orgId').doUpdateSet(fields))
    .returning('expiresAt')
    .executeTakeFirstOrThrow()
  return expiresAt
}

export const find = (db: Queryable, orgId: string) =>
  db
    .selectFrom('linkAttempt')
    .selectAll()
    .select(sql<boolean>`expires_at <= now()`.as('expired'))
    .where('orgId', '=', orgId)
    .executeTakeFirst()
export type AttemptRow = NonNullable<Awaited<ReturnType<typeof find>>>

/**
 * The right to ask the cloud: a lease in the database, so that of all who look, in any process, one asks once per interval. Two who ask at
 * once would be taken for a thief and his victim, and the credential ended.
 */
export const lease = (db: Queryable, { orgId, userCode }: Which, seconds: number) =>
  db
    .updateTable('linkAttempt')
    .set({ askAt: inSeconds(seconds) })
    .where('orgId', '=', orgId)
    .where('userCode', '=', userCode)
    .where('secret', 'is not', null)
    .where('askAt', '<=', sql<Date>`now()`)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst()
export type LeasedAttempt = NonNullable<Awaited<ReturnType<typeof lease>>>

/** Nothing was decided: ask again after so long. */
export async function askAgain(db: Queryable, { orgId, userCode }: Which, intervalSeconds: number): Promise<void> {
  await db
    .updateTable('linkAttempt')
    .set({ intervalSeconds, askAt: inSeconds(intervalSeconds) })
    .where('orgId', '=', orgId)
    .where('userCode', '=', userCode)
    .execute()
}

/** It stays, so that whoever looks later hears how it ended; its secrets do not. */
export async function end(db: Queryable, { orgId, userCode }: Which, ended: AttemptRow['ended']): Promise<void> {
  await db
    .updateTable('linkAttempt')
    .set({ ended, secret: null })
    .where('orgId', '=', orgId)
    .where('userCode', '=', userCode)
    .execute()
}

export async function remove(db: Queryable, orgId: string, userCode: string | null = null): Promise<boolean> {
  let rows = db.deleteFrom('linkAttempt').where('orgId', '=', orgId)
  if (userCode !== null) rows = rows.where('userCode', '=', userCode)
  return (await rows.executeTakeFirst()).numDeletedRows > 0n
}

/** How one ended is told for a day; with its secrets nothing can be fetched once it has expired. */
export async function sweepLinkAttempts(db: Queryable): Promise<void> {
  await deleteOld(db, 'link_attempt', sql`expires_at < now() - interval '1 day'`)
}

const inSeconds = (seconds: number) => sql<string>`now() + ${seconds} * interval '1 second'`
