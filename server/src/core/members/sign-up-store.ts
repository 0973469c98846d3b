import { type Insertable, sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { deleteOld } from '../../db/delete-old.ts'
import type { Tables } from '../../db/tables.ts'

const now = sql<Date>`now()`

/** How often an address, and how often somebody of this network, asked in the last hour. */
export async function countAsked(db: Queryable, { email, network }: { email: string; network: string }) {
  const { rows } = await sql<{ byEmail: number; byNetwork: number }>`
    select (select count(*) from (select 1 from sign_up where email = ${email}
        and created_at > now() - interval '1 hour' limit 1000) asked)::integer as by_email,
      (select count(*) from (select 1 from sign_up where network = ${network}
        and created_at > now() - interval '1 hour' limit 1000) asked)::integer as by_network`.execute(db)
  return rows[0] ?? { byEmail: 0, byNetwork: 0 }
}

export const insert = (db: Queryable, row: Omit<Insertable<Tables['signUp']>, 'expiresAt'>, minutes: number) =>
  db
    .insertInto('signUp')
    .values({ ...row, expiresAt: sql<string>`now() + ${minutes} * interval '1 minute'` })
    .returning('expiresAt')
    .executeTakeFirstOrThrow()

/** Counts before anything is compared: whoever tries in parallel has no more tries than one after the other. */
export const countTry = (db: Queryable, requestHash: Buffer, most: number) =>
  db
    .updateTable('signUp')
    .set({ tries: sql`tries + 1` })
    .where('requestHash', '=', requestHash)
    .where('usedAt', 'is', null)
    .where('tries', '<', most)
    .where('expiresAt', '>', now)
    .returning('codeHash')
    .executeTakeFirst()

/** Whoever comes second finds it used. */
export const use = (db: Queryable, requestHash: Buffer) =>
  db
    .updateTable('signUp')
    .set({ usedAt: now })
    .where('requestHash', '=', requestHash)
    .where('usedAt', 'is', null)
    .returning('email')
    .executeTakeFirst()

export async function sweepSignUps(db: Queryable): Promise<void> {
  await deleteOld(db, 'sign_up', sql`created_at < now() - interval '1 day'`)
}
