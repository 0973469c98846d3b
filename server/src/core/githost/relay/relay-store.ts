import type { RelayedSaid } from '@slipway/contract/relay'
import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../db/database.ts'
import { deleteOld } from '../../../db/delete-old.ts'

/** Of one link; who has missed more is told that there is a gap. */
const MOST_KEPT = 10_000
/** Not with each delivery: so many are taken away at once. */
const TRIM_EVERY = 100
const KEEP = '7 days'

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
    with known as (select id, relayed_mark from instance_link where id = any(${linkIds})),
    counted as (update instance_link set relayed = relayed + 1, relayed_mark = gen_random_uuid()
      where id = any(${linkIds}) returning id, relayed, relayed_mark)
    insert into relay_delivery (link_id, number, guid, event, said, mark, before_mark)
    select id, c.relayed, ${guid}, ${event}, ${said}::jsonb, c.relayed_mark, known.relayed_mark
    from counted c join known using (id) returning link_id, number`.execute(tx)
  const full = rows.filter(({ number }) => Number(number) % TRIM_EVERY === 0 && Number(number) > MOST_KEPT - TRIM_EVERY)
  for (const { linkId, number } of full) await forget(tx, linkId, Number(number) - (MOST_KEPT - TRIM_EVERY))
}

const forget = async (db: Queryable, linkId: string, upTo: number): Promise<void> => {
  await sql`delete from relay_delivery where link_id = ${linkId} and number <= ${upTo}`.execute(db)
}

/** How far somebody has heard. The mark tells in which history of this database; null: not known. */
export type Cursor = { number: number; mark: string | null }
export type Standing = { newest: Cursor; streamId: string | null }
export type Begun = { id: string; streamId: string; taken: Cursor }

/**
 * From now on these streams are the ones of their links; what their readers have taken is forgotten, if it was ever said in this history.
 * Links are held in one order, as by who relays to them.
 */
export async function beginStreams(db: Queryable, streams: Begun[]): Promise<Map<string, Standing>> {
  const [ids, streamIds] = [streams.map(({ id }) => id), streams.map(({ streamId }) => streamId)]
  const [numbers, marks] = [streams.map(({ taken }) => taken.number), streams.map(({ taken }) => taken.mark)]
  const { rows } = await sql<StandingRow>`
    with asked as (select * from unnest(${ids}::text[], ${streamIds}::uuid[], ${numbers}::bigint[], ${marks}::uuid[])
      as asked (id, stream_id, taken, mark)),
    held as materialized (select id from instance_link where id = any(${ids}) order by id for no key update),
    begun as (update instance_link l set stream_id = a.stream_id from asked a where l.id = a.id and l.id in (select id from held)
      returning l.id, l.relayed, l.relayed_mark, l.stream_id, a.taken, a.mark),
    drawn as (select b.*, case when b.relayed = b.taken then b.relayed_mark else (
      select d.before_mark from relay_delivery d where d.link_id = b.id and d.number = b.taken + 1) end as of_taken from begun b),
    forgotten as (delete from relay_delivery d using drawn b
      where d.link_id = b.id and d.number <= b.taken and b.taken <= b.relayed and coalesce(b.of_taken = b.mark, true))
    select id, relayed, relayed_mark, stream_id from begun`.execute(db)
  return standingsIn(rows)
}

type StandingRow = { id: string; relayed: string; relayedMark: string | null; streamId: string | null }
const standingsIn = (rows: StandingRow[]) =>
  new Map(
    rows.map(({ id, relayed, relayedMark: mark, streamId }) => [
      id,
      { newest: { number: Number(relayed), mark }, streamId },
    ]),
  )

/** Of many at once. */
export async function standings(db: Queryable, linkIds: string[]): Promise<Map<string, Standing>> {
  const { rows } = await sql<StandingRow>`
    select id, relayed, relayed_mark, stream_id from instance_link where id = any(${linkIds})`.execute(db)
  return standingsIn(rows)
}

/** `beforeMark`: of the number before it, also where that is not kept. */
export type Row = Cursor & { guid: string; event: string; said: RelayedSaid; beforeMark: string | null }

/** Keyset: those after a number, oldest first, of each link so many at most. */
export async function after(db: Queryable, asked: { id: string; number: number }[], most: number) {
  const { rows } = await sql<Row & { linkId: string }>`
    select d.* from unnest(${asked.map(({ id }) => id)}::text[], ${asked.map(({ number }) => number)}::bigint[]) as asked (id, number),
      lateral (select link_id, number, mark, before_mark, guid, event, said from relay_delivery
        where link_id = asked.id and number > asked.number order by number limit ${most}) d
    order by d.link_id, d.number`.execute(db)
  return new Map(
    asked.map(({ id }) => [
      id,
      rows
        .filter(({ linkId }) => linkId === id)
        .map(({ linkId: _, number, ...row }) => ({ number: Number(number), ...row })),
    ]),
  )
}

/** Who was away for longer looks for itself. */
export async function sweepRelayed(db: Queryable): Promise<void> {
  await deleteOld(db, 'relay_delivery', sql`created_at < now() - ${sql.lit(KEEP)}::interval`)
}
