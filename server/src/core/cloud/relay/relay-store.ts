import { sql } from 'kysely'
import type { Database, Queryable, Tx } from '../../../db/database.ts'

/** A link that this process follows; `claim` is its fencing token: whoever takes over has another one. */
export type Followed = { orgId: string; linkId: string; url: string; credential: string; claim: string }

const LEASE = sql`interval '5 seconds'`
const NOBODYS = { relayUntil: null, relayClaim: null }

/** Links that nobody follows. One that the cloud has refused stays so until somebody links anew. */
export async function takeFree(db: Database, claim: string, most: number): Promise<Followed[]> {
  const { rows } = await sql<Followed>`
    update cloud_link set relay_claim = ${claim}, relay_until = now() + ${LEASE}
    where org_id in (select org_id from cloud_link where coalesce(relay_until < now(), true)
      and relay_state is distinct from 'refused' order by relay_until nulls first limit ${most} for update skip locked)
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

/** Null: the link is not this process's to follow. */
export async function seenOf(db: Queryable, { orgId, linkId, claim }: Followed): Promise<number | null> {
  const row = await db
    .selectFrom('cloudLink')
    .select('relaySeen')
    .where('orgId', '=', orgId)
    .where('linkId', '=', linkId)
    .where('relayClaim', '=', claim)
    .executeTakeFirst()
  return row ? Number(row.relaySeen) : null
}

/** Optimistic lock: false says that another process has gone on from there. */
export async function advance(tx: Tx, followed: Followed, from: number, to: number): Promise<boolean> {
  const { numUpdatedRows } = await own(tx, followed)
    .set({ relaySeen: to, relayAt: sql<Date>`now()` })
    .where('relaySeen', '=', sql<string>`${from}`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Refused, it is nobody's: no lease is renewed for what is not followed. */
export async function note(db: Database, followed: Followed, state: 'following' | 'waiting' | 'refused') {
  await own(db, followed)
    .set({ relayState: state, relaySince: sql<Date>`now()`, ...(state === 'refused' && NOBODYS) })
    .where('relayState', 'is distinct from', state)
    .execute()
}
