import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Claim } from '../../../jobs/steps.ts'
import { noteReport } from '../rows/report-store.ts'

export type EventType = 'status' | 'step' | 'log' | 'service' | 'prompt' | 'decision' | 'gap' | 'end'
export type NewEvent = { type: EventType; at: Date; data: Record<string, unknown> }
/** Its data as JSON text: most of those who read it pass it on as it is. */
export type StoredEvent = { seq: number; at: Date; type: EventType; json: string }

/** Whose write it is: the owner of the run, or (null) a caller who changes the deployment in a transaction of its own. */
export type Fence = Claim | null

/**
 * Numbers and stores a batch in one statement, and answers with the number of its last event. The counter on the
 * deployment's row makes numbers gap-free in the order of commits; nothing is written when the run is no longer the
 * owner's, and 0 says so.
 */
export async function append(db: Queryable, id: string, fence: Fence, events: NewEvent[]): Promise<number> {
  const lines = events.filter(({ type }) => type === 'log').length
  const { rows } = await sql<{ last: string }>`
    with counted as (
      update deployment set next_seq = next_seq + ${events.length}, log_lines = log_lines + ${lines}
      where id = ${id} and (${fence === null} or exists (
        select 1 from run where run.id = ${id} and run.fence = ${fence?.fence ?? 0} and run.claim = ${fence?.claim ?? null}
        and run.status = 'running'))
      returning next_seq as last),
    stored as (
      insert into deployment_event (deployment_id, seq, at, type, data)
      select ${id}, counted.last - ${events.length} + event.ordinality, event.at, event.type, event.data
      from counted, unnest(
        ${events.map((event) => event.at.toISOString())}::timestamptz[], ${events.map((event) => event.type)}::text[],
        ${events.map((event) => JSON.stringify(event.data))}::jsonb[]) with ordinality as event (at, type, data, ordinality))
    select last from counted`.execute(db)
  if (events.some(({ type, data }) => type === 'status' && isTold(data.status))) await noteReport(db, id)
  return Number(rows[0]?.last ?? 0)
}

/** One that waits, or gave way while it waited, is nobody's business. */
const isTold = (status: unknown) => status !== 'queued' && status !== 'superseded'

/** The number under which this event was stored after `since`; 0 when it was not. */
export async function findStored(db: Queryable, id: string, since: number, event: NewEvent): Promise<number> {
  const { rows } = await sql<{ seq: string }>`
    select seq from deployment_event where deployment_id = ${id} and seq > ${since}
      and type = ${event.type} and at = ${event.at.toISOString()}::timestamptz and data = ${JSON.stringify(event.data)}::jsonb
    order by seq limit 1`.execute(db)
  return Number(rows[0]?.seq ?? 0)
}

type Row = { seq: string; at: Date; type: EventType; json: string }

/** Events after `since` that are still in the table, in order; at most `limit`. */
export async function read(db: Queryable, id: string, since: number, limit: number): Promise<StoredEvent[]> {
  const { rows } = await sql<Row>`
    select seq, at, type, data::text as json from deployment_event
    where deployment_id = ${id} and seq > ${since} order by seq limit ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}

/** `first` and `last` are the numbers of the events that were looked at, of which only lines are rows. */
type RowsText = { first: number; last: number; text: string }

/** A time of to_char takes the database as long as the rest of its row. A microsecond more, and none is written without its milliseconds. */
const ROW = sql`concat('[', seq, ',', left(to_json((at + interval '1 microsecond') at time zone 'UTC')::text, 24),
  case when data ->> 'stream' = 'stderr' then 'Z","stderr",' else 'Z","stdout",' end,
  coalesce((data -> 'step')::text, 'null'), ',', coalesce((data -> 'service')::text, 'null'), ',',
  coalesce((data -> 'line')::text, '""'), E']\\n')`

/**
 * Lines after `since` that are still in the table, each as an array of JSON on a line of its own: the database writes the text
 * itself, because a hundred thousand events made objects and text again here would take a second. `most` bounds how many, and at
 * least one is among them.
 */
export async function readRows(
  db: Queryable,
  id: string,
  since: number,
  most: { events: number; bytes: number },
): Promise<RowsText | undefined> {
  const { rows } = await sql<{ first: string | null; last: string; text: string | null }>`
    select min(seq) as first, max(seq) as last, string_agg(text, '') filter (where type = 'log') as text
    from (select *, sum(octet_length(text)) over (order by seq rows unbounded preceding) - octet_length(text) as before
      from (select seq, type, ${ROW} as text from deployment_event
        where deployment_id = ${id} and seq > ${since} order by seq limit ${most.events} offset 0) as next) as event
    where before < ${most.bytes}`.execute(db)
  const [found] = rows
  if (!found || found.first === null) return undefined
  return { first: Number(found.first), last: Number(found.last), text: found.text ?? '' }
}

export type Progress = { newest: number; finished: boolean }

/** The number of its newest event, and whether it has ended; undefined when there is no such deployment any more. */
export async function progressOf(db: Queryable, id: string): Promise<Progress | undefined> {
  const { rows } = await sql<{ seq: string; finished: boolean }>`
    select next_seq as seq, finished_at is not null as finished from deployment where id = ${id}`.execute(db)
  return rows[0] && { newest: Number(rows[0].seq), finished: rows[0].finished }
}
