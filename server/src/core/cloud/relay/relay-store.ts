import { sql } from 'kysely'
import type { Database, Queryable, Tx } from '../../../db/database.ts'

/** A link that this process follows; `claim` is its fencing token: whoever takes over has another one. */
export type Followed = { orgId: string; linkId: string; url: string; credential: string; claim: string }

const LEASE = sql`interval '5 seconds'`
const NOBODYS = { relayUntil: null, relayClaim: null }
/** Why a cloud refuses a link may pass: a role that was given back, a cloud that was set up anew from a backup. */
const REFUSED_FOR = sql<Date>`now() + interval '1 hour'`

/** Links that nobody follows, and that no cloud has refused within the hour. */
export async function takeFree(db: Database, claim: string, most: number): Promise<Followed[]> {
  const { rows } = await sql<Followed>`
    update cloud_link set relay_claim = ${claim}, relay_until = now() + ${LEASE}
    where org_id in (select org_id from cloud_link where coalesce(relay_until, '-infinity') < now()
      order by coalesce(relay_until, '-infinity') limit ${most} for update skip locked)
    returning org_id, link_id, url, credential, relay_claim as claim`.execute(db)
  return rows
}

/** Of all that this process follows; those that are not among the answer are not its own any more. */
export async function renew(db: Database, claim: string, linkIds: string[]): Promise<Set<string>> {
  if (linkIds.length === 0) return new Set()
  const { rows } = await sql<{ linkId: string }>`update cloud_link set relay_until = now() + ${LEASE}
    where relay_claim = ${claim} and link_id = any(${linkIds}) returning link_id`.execute(db)
  return new Set(rows.map(({ linkId }) => linkId))
}

/** Somebody else may follow it at once. */
export async function release(db: Database, claim: string): Promise<void> {
  await db
    .updateTable('cloudLink')
    .set({ ...NOBODYS, relayState: 'waiting', relaySince: sql<Date>`now()` })
    .where('relayClaim', '=', claim)
    .execute()
}

const own = (db: Queryable, { orgId, linkId, claim }: Followed) =>
  db.updateTable('cloudLink').where('orgId', '=', orgId).where('linkId', '=', linkId).where('relayClaim', '=', claim)

/** How far was heard, and the mark that came with it; null: it came with none. */
export type Cursor = { number: number; mark: string | null }

/** Null: the link is not this process's to follow. */
export async function seenOf(db: Queryable, { orgId, linkId, claim }: Followed): Promise<Cursor | null> {
  const row = await db
    .selectFrom('cloudLink')
    .select(['relaySeen', 'relayMark'])
    .where('orgId', '=', orgId)
    .where('linkId', '=', linkId)
    .where('relayClaim', '=', claim)
    .executeTakeFirst()
  return row ? { number: Number(row.relaySeen), mark: row.relayMark } : null
}

/** Optimistic lock: false says that another process has gone on from there. */
export async function advance(tx: Tx, followed: Followed, from: number, to: Cursor): Promise<boolean> {
  const { numUpdatedRows } = await own(tx, followed)
    .set({ relaySeen: to.number, relayMark: to.mark, relayAt: sql<Date>`now()` })
    .where('relaySeen', '=', sql<string>`${from}`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function note(db: Database, followed: Followed, state: 'following' | 'waiting' | 'refused') {
  await own(db, followed)
    .set({ relayState: state, relaySince: sql<Date>`now()` })
    .where('relayState', 'is distinct from', state)
    .execute()
}

/** Nobody's for an hour: no lease is renewed for what is not followed. */
export async function leaveRefused(db: Database, followed: Followed): Promise<void> {
  await own(db, followed).set({ relayUntil: REFUSED_FOR, relayClaim: null }).execute()
}
