import { sql } from 'kysely'
import type { Database, Queryable, Tx } from '../../../db/database.ts'

/** Of one link; who has missed more is told that there is a gap. */
const MOST_KEPT = 10_000
/** Not with each delivery: so many are taken away at once. */
const TRIM_EVERY = 100
const KEEP = '7 days'
const AT_ONCE = 5000

/** Links of these organizations, held until the end of the transaction, in one order. */
export async function lockLinks(tx: Tx, orgIds: string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('instanceLink')
    .select('id')
    .where('orgId', 'in', orgIds)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return rows.map(({ id }) => id)
}

type Put = { guid: string; event: string; said: string }

/** The next number of each, with the row in which it is counted: numbers are seen in their order, and none is left out. */
export async function put(tx: Tx, linkIds: string[], { guid, event, said }: Put): Promise<void> {
  const { rows } = await sql<{ linkId: string; number: string }>`
    with counted as (update instance_link set relayed = relayed + 1 where id = any(${linkIds}) returning id, relayed)
    insert into relay_delivery (link_id, number, guid, event, said)
    select id, relayed, ${guid}, ${event}, ${said}::jsonb from counted returning link_id, number`.execute(tx)
  const full = rows.filter(({ number }) => Number(number) % TRIM_EVERY === 0 && Number(number) > MOST_KEPT - TRIM_EVERY)
  for (const { linkId, number } of full) await forget(tx, linkId, Number(number) - (MOST_KEPT - TRIM_EVERY))
}

const forget = async (db: Queryable, linkId: string, upTo: number): Promise<void> => {
  await sql`delete from relay_delivery where link_id = ${linkId} and number <= ${upTo}`.execute(db)
}

/** From now on this stream is the one; what its reader has taken is forgotten, if it was ever said. */
export async function beginStream(db: Database, linkId: string, streamId: string, taken: number): Promise<void> {
  await sql`
    with begun as (update instance_link set stream_id = ${streamId} where id = ${linkId} returning relayed)
    delete from relay_delivery where link_id = ${linkId} and number <= ${taken} and ${taken} <= (select relayed from begun)
  `.execute(db)
}

export type Standing = { relayed: number; streamId: string | null }

export async function standing(db: Queryable, linkId: string): Promise<Standing | undefined> {
  const row = await db
    .selectFrom('instanceLink')
    .select(['relayed', 'streamId'])
    .where('id', '=', linkId)
    .executeTakeFirst()
  return row && { relayed: Number(row.relayed), streamId: row.streamId }
}

/** Of many at once. */
export async function standings(db: Queryable, linkIds: string[]): Promise<Map<string, Standing>> {
  const { rows } = await sql<{ id: string; relayed: string; streamId: string | null }>`
    select id, relayed, stream_id from instance_link where id = any(${linkIds})`.execute(db)
  return new Map(rows.map(({ id, relayed, streamId }) => [id, { relayed: Number(relayed), streamId }]))
}

/** Keyset: those after a number, oldest first. */
export async function after(db: Queryable, linkId: string, number: number, most: number) {
  const rows = await db
    .selectFrom('relayDelivery')
    .select(['number', 'guid', 'event', 'said'])
    .where('linkId', '=', linkId)
    .where('number', '>', sql<string>`${number}`)
    .orderBy('number')
    .limit(most)
    .execute()
  return rows.map((row) => ({ ...row, number: Number(row.number) }))
}

/** Who was away for longer looks for itself. */
export async function sweepRelayed(db: Queryable): Promise<void> {
  await sql`delete from relay_delivery where (link_id, number) in (select link_id, number from relay_delivery
    where created_at < now() - ${sql.lit(KEEP)}::interval limit ${AT_ONCE})`.execute(db)
}
