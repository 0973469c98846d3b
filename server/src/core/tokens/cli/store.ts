import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { deleteOld } from '../../../db/delete-old.ts'
import type { Tables } from '../../../db/tables.ts'

export type SignInRow = Selectable<Tables['cliSignIn']>

const now = sql<Date>`now()`

/** None when another request has this user code at the moment. */
export const insert = (db: Queryable, row: Omit<Insertable<Tables['cliSignIn']>, 'expiresAt'>, minutes: number) =>
  db
    .insertInto('cliSignIn')
    .values({ ...row, expiresAt: sql<string>`now() + ${minutes} * interval '1 minute'` })
    .onConflict((conflict) => conflict.column('userCodeHash').doNothing())
    .returning('expiresAt')
    .executeTakeFirst()

/** Of no organization yet, so it is found by the code alone. What somebody has decided about is not found any more. */
export const findPending = (db: Queryable, userCodeHash: Buffer) =>
  db
    .selectFrom('cliSignIn')
    .selectAll()
    .where('userCodeHash', '=', userCodeHash)
    .where('status', '=', 'pending')
    .where('expiresAt', '>', now)
    .executeTakeFirst()

/** Whoever comes second finds it decided. */
export async function decide(
  db: Queryable,
  id: string,
  changes: Updateable<Tables['cliSignIn']>,
  codeSeconds: number | null = null,
): Promise<boolean> {
  const done = await db
    .updateTable('cliSignIn')
    .set({
      ...changes,
      ...(codeSeconds !== null && { codeExpiresAt: sql<string>`now() + ${codeSeconds} * interval '1 second'` }),
    })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** The request of this secret until the transaction ends, and what the clock of the database says about it. */
export const lock = (db: Queryable, requestHash: Buffer) =>
  db
    .selectFrom('cliSignIn')
    .selectAll()
    .select([
      sql<boolean>`expires_at <= now()`.as('expired'),
      sql<boolean>`coalesce(code_expires_at <= now(), false)`.as('codeExpired'),
      // A little early is not too early: requests take their time on the way.
      sql<boolean>`coalesce(polled_at > now() - (interval_seconds - 0.5) * interval '1 second', false)`.as('tooSoon'),
    ])
    .where('requestHash', '=', requestHash)
    .forUpdate()
    .executeTakeFirst()
export type LockedSignIn = NonNullable<Awaited<ReturnType<typeof lock>>>

export async function change(db: Queryable, id: string, changes: Updateable<Tables['cliSignIn']>): Promise<void> {
  await db.updateTable('cliSignIn').set(changes).where('id', '=', id).execute()
}

export const notePoll = (db: Queryable, id: string, intervalSeconds: number) =>
  db.updateTable('cliSignIn').set({ polledAt: now, intervalSeconds }).where('id', '=', id).execute()

/** Counts a try before it is made, so that many at once are not more. How many there were in this window, and its rest. */
export async function countTry(db: Queryable, key: string, minutes: number): Promise<{ count: number; left: number }> {
  const { rows } = await sql<{ count: number; left: number }>`
    insert into sign_in_try as known (key, count) values (${key}, 1)
    on conflict (key) do update set
      count = case when known.since < now() - ${minutes} * interval '1 minute' then 1 else known.count + 1 end,
      since = case when known.since < now() - ${minutes} * interval '1 minute' then now() else known.since end
    returning count, ceil(extract(epoch from since - now()) + ${minutes} * 60)::integer as left`.execute(db)
  return rows[0] ?? { count: 1, left: 0 }
}

/** It was none: the code was right. */
export async function uncountTries(db: Queryable, keys: string[]): Promise<void> {
  await db
    .updateTable('signInTry')
    .set({ count: sql`count - 1` })
    .where('key', 'in', keys)
    .where('count', '>', 0)
    .execute()
}

export async function sweepSignIns(db: Queryable): Promise<void> {
  await deleteOld(db, 'cli_sign_in', sql`expires_at < now()`)
  await deleteOld(db, 'sign_in_try', sql`since < now() - interval '1 hour'`)
}
