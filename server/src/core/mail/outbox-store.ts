import { sql } from 'kysely'
import type { Queryable, Tx } from '../../db/database.ts'
import { deleteOld } from '../../db/delete-old.ts'

/** Longer than one mail may take to be sent: what is still unsent then was left by a process that died. */
const LEASE = sql`interval '3 minutes'`
/** What could not be sent by then nobody waits for. */
const GIVE_UP = sql`interval '24 hours'`
const KEEP = sql`interval '7 days'`

export type NewMail = { id: string; toAddress: string; subject: string; text: string }
export type DueMail = NewMail & {
  /** With the id, the fencing token of this claim. */
  attempts: number
  /** Too old to be of use to anybody. */
  isLate: boolean
}

export async function insert(tx: Tx, row: NewMail): Promise<void> {
  await tx.insertInto('mail').values(row).execute()
}

/** Takes what is due for the time of a lease; processes that ask at once get different rows. */
export async function claim(db: Queryable, most: number): Promise<DueMail[]> {
  const { rows } = await sql<DueMail>`
    with due as (select id from mail where sent_at is null and failed_at is null and due_at <= statement_timestamp()
      order by due_at limit ${most} for update skip locked)
    update mail m set attempts = attempts + 1, due_at = clock_timestamp() + ${LEASE}
    from due where m.id = due.id
    returning m.id, m.to_address, m.subject, m.text, m.attempts, m.created_at < statement_timestamp() - ${GIVE_UP} as is_late
  `.execute(db)
  return rows
}

/** Whoever says so: a mail that a server has taken is sent, even if somebody else holds it by now or has given it up. */
export async function markSent(db: Queryable, id: string): Promise<void> {
  await sql`update mail set sent_at = clock_timestamp(), failed_at = null, last_error = null, text = null
    where id = ${id} and sent_at is null`.execute(db)
}

/** False: the claim is another's by now, and the row as that one wants it. */
export async function markDeferred(
  db: Queryable,
  { id, attempts }: DueMail,
  { delayMs, error }: { delayMs: number; error: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mail set due_at = clock_timestamp() + make_interval(secs => ${delayMs / 1000}), last_error = ${error}
    where id = ${id} and attempts = ${attempts} and sent_at is null and failed_at is null`.execute(db)
  return numAffectedRows === 1n
}

export async function markFailed(db: Queryable, { id, attempts }: DueMail, error: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mail set failed_at = clock_timestamp(), last_error = ${error}, text = null
    where id = ${id} and attempts = ${attempts} and sent_at is null and failed_at is null`.execute(db)
  return numAffectedRows === 1n
}

/** All that is old, however it ended: what was not sent in its first day never will be. */
export async function sweepMail(db: Queryable): Promise<void> {
  await deleteOld(db, 'mail', sql`created_at < now() - ${KEEP}`)
}
