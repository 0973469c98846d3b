import { createHash, randomBytes } from 'node:crypto'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { deleteOld } from '../../../db/delete-old.ts'
import type { Tables } from '../../../db/tables.ts'

export type AttemptRow = Selectable<Tables['githostAttempt']>
type Changes = Updateable<Tables['githostAttempt']>

/** Drawn at random and shown once; only its hash is kept. */
export const newSecret = () => randomBytes(32).toString('base64url')
export const hashOf = (text: string) => createHash('sha256').update(text).digest()

export const insert = (db: Queryable, row: Insertable<Tables['githostAttempt']>) =>
  db.insertInto('githostAttempt').values(row).returningAll().executeTakeFirstOrThrow()

export const newest = (db: Queryable, orgId: string, userId: string) =>
  db
    .selectFrom('githostAttempt')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** The browser has no session: the nonce or state is all that says whose attempt it is. */
export const bySecret = (db: Queryable, column: 'startHash' | 'stateHash', secret: string) =>
  db.selectFrom('githostAttempt').selectAll().where(column, '=', hashOf(secret)).executeTakeFirst()

/** Changes one that is still open; whoever comes second gets nothing. */
export const advance = (db: Queryable, { id, stateHash }: AttemptRow, changes: Changes) =>
  db
    .updateTable('githostAttempt')
    .set(changes)
    .where('id', '=', id)
    .where('status', '=', 'started')
    .where('expiresAt', '>', sql<Date>`now()`)
    .where('stateHash', 'is not distinct from', stateHash)
    .returningAll()
    .executeTakeFirst()

/** Back to the host once more; it was taken by this visit, so nobody else changes it. */
export const reopen = (db: Queryable, id: string, changes: Changes) =>
  db.updateTable('githostAttempt').set(changes).where('id', '=', id).where('status', '=', 'returned').execute()

type End = 'bound' | 'denied' | 'expired' | 'failed'

/** What it held is erased with its end. */
export async function end(db: Queryable, id: string, status: End, more: { reason?: string; login?: string } = {}) {
  await db
    .updateTable('githostAttempt')
    .set({ ...more, status, secret: null, returnTo: null, cookieHash: null, pollAt: null, endedAt: new Date() })
    .where('id', '=', id)
    .where('status', 'in', ['started', 'returned', 'proved'])
    .execute()
}

/** Device logins whose time has come, for this process alone for a while. */
export const takeDue = (db: Queryable, limit: number) =>
  db
    .updateTable('githostAttempt')
    .set({ pollAt: sql<Date>`now() + greatest(interval_seconds, 15) * interval '1 second'` })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('githostAttempt')
        .select('id')
        .where('pollAt', '<=', sql<Date>`now()`)
        .orderBy('pollAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()

export const pollAgain = (db: Queryable, id: string, seconds: number) =>
  db
    .updateTable('githostAttempt')
    .set({ intervalSeconds: seconds, pollAt: sql<Date>`now() + ${seconds} * interval '1 second'` })
    .where('id', '=', id)
    .where('status', '=', 'started')
    .execute()

export const sweep = (db: Queryable) => deleteOld(db, 'githost_attempt', sql`expires_at < now() - interval '1 day'`)

/** The role of who began it, as it is now: they may have left meanwhile. */
export const roleOf = async (db: Queryable, { orgId, userId }: AttemptRow) =>
  (
    await db
      .selectFrom('member')
      .select('role')
      .where('orgId', '=', orgId)
      .where('userId', '=', userId)
      .executeTakeFirst()
  )?.role

export const beganBy = (db: Queryable, { userId }: AttemptRow) =>
  db.selectFrom('person').select(['name', 'email']).where('id', '=', userId).executeTakeFirstOrThrow()
