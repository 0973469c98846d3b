import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

export type EventType = 'status' | 'step' | 'log' | 'service' | 'prompt' | 'decision' | 'gap' | 'end'
export type NewEvent = { type: EventType; at: Date; data: Record<string, unknown> }
export type StoredEvent = { seq: number; at: Date; type: EventType; data: Record<string, unknown> }

/** Whose write it is: the run with this fence, or (null) a caller who changes the deployment in a transaction of its own. */
export type Fence = number | null

/**
 * Numbers and stores a batch in one statement. The counter on the deployment's row makes numbers gap-free in the order of
 * commits; nothing is written when the run is no longer the owner's, and `false` says so.
 */
export async function append(db: Queryable, id: string, fence: Fence, events: NewEvent[]): Promise<boolean> {
  if (events.length === 0) return true
  const done = await sql`
    with counted as (
      update deployment set next_seq = next_seq + ${events.length}
      where id = ${id} and (${fence}::int is null or exists (
        select 1 from run where run.id = ${id} and run.fence = ${fence} and run.status = 'running'))
      returning next_seq - ${events.length} as base)
    insert into deployment_event (deployment_id, seq, at, type, data)
    select ${id}, counted.base + event.ordinality, event.at, event.type, event.data
    from counted, unnest(
      ${events.map((event) => event.at.toISOString())}::timestamptz[], ${events.map((event) => event.type)}::text[],
      ${events.map((event) => JSON.stringify(event.data))}::jsonb[]) with ordinality as event (at, type, data, ordinality)`.execute(
    db,
  )
  return Number(done.numAffectedRows ?? 0) === events.length
}

const select = (db: Queryable, id: string) =>
  db.selectFrom('deploymentEvent').select(['seq', 'at', 'type', 'data']).where('deploymentId', '=', id)
type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>

const shape = (row: Row): StoredEvent => ({
  seq: Number(row.seq),
  at: row.at,
  type: row.type as EventType,
  data: row.data,
})

/** Events after `since`, in order; at most `limit`. */
export async function read(db: Queryable, id: string, since: number, limit: number): Promise<StoredEvent[]> {
  const rows = await select(db, id).where('seq', '>', String(since)).orderBy('seq').limit(limit).execute()
  return rows.map(shape)
}

/** The last `limit` events, in order. */
export async function readNewest(db: Queryable, id: string, limit: number): Promise<StoredEvent[]> {
  const rows = await select(db, id).orderBy('seq', 'desc').limit(limit).execute()
  return rows.reverse().map(shape)
}

/** Only what was printed, for those who want to read and not to follow. */
export async function readLines(db: Queryable, id: string, since: number, limit: number, service: string | null) {
  const rows = await select(db, id)
    .where('seq', '>', String(since))
    .where('type', '=', 'log')
    .where(sql<boolean>`(${service}::text is null or data ->> 'service' = ${service})`)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map(shape)
}
