import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../../db/database.ts'

export type Finished = { id: string; orgId: string; finishedAt: Date }

/** Deployments that ended longer ago than this and whose logs were not moved since, the oldest first. */
export async function findToMove(db: Queryable, ageMs: number, after: Date, limit: number): Promise<Finished[]> {
  const { rows } = await sql<Finished>`
    select id, org_id, finished_at from deployment
    where finished_at is not null and (logs_moved_at is null or logs_moved_at < finished_at)
      and finished_at > ${after} and finished_at <= now() - make_interval(secs => ${ageMs / 1000})
    order by finished_at limit ${limit}`.execute(db)
  return rows
}

/** One process at a time moves a deployment's logs, until the transaction ends. It saves work; nothing rests on it. */
export async function lock(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('slipway log retention ' || ${id}, 0)) as locked`.execute(tx)
  return rows[0]?.locked ?? false
}

/** The last line that was printed and is still in the table: nothing behind it is moved. */
export async function lastLine(tx: Tx, id: string): Promise<number | undefined> {
  const { rows } = await sql<{ seq: string }>`
    select seq from deployment_event where deployment_id = ${id} and type = 'log' order by seq desc limit 1`.execute(tx)
  return rows[0] && Number(rows[0].seq)
}

type NewSegment = { id: string; first: number; last: number; lastAt: Date; key: string; keepUntil: Date }

/** The segment takes the place of the events it holds. */
export async function replaceEvents(tx: Tx, { id, first, last, lastAt, key, keepUntil }: NewSegment): Promise<void> {
  await sql`
    insert into deployment_segment (deployment_id, first_seq, last_seq, location, last_at, keep_until)
    values (${id}, ${first}, ${last}, ${key}, ${lastAt}, ${keepUntil})`.execute(tx)
  const done = await sql`
    delete from deployment_event where deployment_id = ${id} and seq between ${first} and ${last}`.execute(tx)
  if (Number(done.numAffectedRows) !== last - first + 1) throw new Error(`the events of ${id} changed while they moved`)
}

export async function markMoved(tx: Tx, id: string): Promise<void> {
  await sql`update deployment set logs_moved_at = greatest(now(), finished_at) where id = ${id}`.execute(tx)
}

export type Segment = { first: number; last: number; location: string | null; lastAt: Date }

/** The first segment that holds anything after `since`. */
export async function findSegment(db: Queryable, id: string, since: number): Promise<Segment | undefined> {
  const { rows } = await sql<{ first: string; last: string; location: string | null; lastAt: Date }>`
    select first_seq as first, last_seq as last, location, last_at from deployment_segment
    where deployment_id = ${id} and last_seq > ${since} order by first_seq limit 1`.execute(db)
  return rows[0] && { ...rows[0], first: Number(rows[0].first), last: Number(rows[0].last) }
}

/**
 * Gives up segments that were kept long enough; answers with what they leave in the archive and how many it looked at.
 * Those of a release that runs or is pinned are looked at again tomorrow.
 */
export async function giveUp(db: Queryable, limit: number): Promise<{ keys: string[]; looked: number }> {
  const { rows } = await sql<{ location: string; kept: boolean }>`
    with due as (
      select s.deployment_id, s.first_seq, s.location, d.active or d.pinned as kept
      from deployment_segment s join deployment d on d.id = s.deployment_id
      where s.location is not null and s.keep_until < now() order by s.keep_until limit ${limit}
      for update of s skip locked)
    update deployment_segment s set
      location = case when due.kept then s.location end,
      keep_until = case when due.kept then now() + interval '1 day' else s.keep_until end
    from due where s.deployment_id = due.deployment_id and s.first_seq = due.first_seq
    returning due.location, due.kept`.execute(db)
  return { keys: rows.filter((row) => !row.kept).map((row) => row.location), looked: rows.length }
}

/** Which of these keys a segment names. */
export async function knownKeys(db: Queryable, keys: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ location: string }>`
    select location from deployment_segment where location = any(${keys}::text[])`.execute(db)
  return new Set(rows.map((row) => row.location))
}
