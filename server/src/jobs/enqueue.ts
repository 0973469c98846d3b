import { sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import type { RunReason, RunStatus } from '../db/tables.ts'

/** Said to every worker: `cancel <run>` or `limit <name>`. */
export const RUN_CHANNEL = 'slipway_run'

export type Waker = { wake(tx: Tx, lane: string): Promise<void> }

/** The last two have workers of their own: for what takes seconds, and for what somebody waits for in an emergency. */
export const URGENCY = { usual: 0, short: 1, emergency: 2 } as const

export type NewRun = {
  id: string
  /** One run at a time per lane, in the order of submission. */
  lane: string
  kind: string
  /** Of its pipeline; 1 where that says nothing. */
  version?: number
  orgId: string
  input: unknown
  urgency?: keyof typeof URGENCY
  /** Kinds whose runs of the lane end if they have not started: this one takes their place. */
  supersede?: string[]
}

export type Superseded = { id: string; kind: string; input: unknown }

/** Everything here happens in the caller's transaction, or not at all. Returns the runs that this one superseded. */
export async function submit(tx: Tx, waker: Waker, run: NewRun): Promise<Superseded[]> {
  const { id, lane, kind, version = 1, orgId, input, urgency = 'usual', supersede = [] } = run
  // Two submissions at once must see each other, or neither would give way.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`run lane ${lane}`}, 0))`.execute(tx)
  const superseded = supersede.length > 0 ? await supersedeQueued(tx, orgId, lane, supersede) : []
  await tx
    .insertInto('run')
    .values({ id, lane, kind, version, orgId, input: JSON.stringify(input ?? null), urgency: URGENCY[urgency] })
    .execute()
  await waker.wake(tx, lane)
  return superseded
}

async function supersedeQueued(tx: Tx, orgId: string, lane: string, kinds: string[]): Promise<Superseded[]> {
  const { rows } = await sql<Superseded>`
    update run set status = 'superseded', finished_at = clock_timestamp()
    where org_id = ${orgId} and lane = ${lane} and status = 'queued' and kind = any(${kinds})
    returning id, kind, input`.execute(tx)
  return rows
}

/** The runs of a lane that are not over, in the order in which they will run. */
export async function openRuns(db: Queryable, orgId: string, lane: string) {
  const { rows } = await sql<{ kind: string; status: RunStatus }>`
    select kind, status from run where lane = ${lane} and org_id = ${orgId} and status in ('queued', 'running', 'parked')
    order by status = 'queued', position`.execute(db)
  return rows
}

/** How far a run is; undefined where there is none of that id. */
export async function progressOf(
  db: Queryable,
  orgId: string,
  id: string,
): Promise<{ status: RunStatus; reason: RunReason | null } | undefined> {
  const { rows } = await sql<{ status: RunStatus; reason: RunReason | null }>`
    select status, outcome_reason as reason from run where id = ${id} and org_id = ${orgId}`.execute(db)
  return rows[0]
}

type Answered = { orgId: string; id: string; gate: string; answer: unknown }

/** False: it does not wait at this gate (too early, already answered, another gate, over, somebody else's). */
export async function respond(tx: Tx, waker: Waker, { orgId, id, gate, answer }: Answered): Promise<boolean> {
  const { rows } = await sql<{ lane: string }>`
    update run set status = 'running', gate = null,
      answers = answers || jsonb_build_object(${gate}::text, ${JSON.stringify(answer ?? null)}::jsonb)
    where id = ${id} and org_id = ${orgId} and status = 'parked' and gate = ${gate} returning lane`.execute(tx)
  if (!rows[0]) return false
  await waker.wake(tx, rows[0].lane)
  return true
}

type ToCancel = {
  orgId: string
  id: string
  /** The caller sees to what a run that waits for an answer has made: it ends at once, and needs no worker that is free. */
  endParked?: boolean
}

/**
 * `cancelled`: it had not started, or was parked and the caller undoes it, and is over. `cancelling`: it will end as
 * cancelled, after its steps are undone. Null: nothing to cancel (over, already cancelled, failing, somebody else's).
 */
export async function cancel(
  tx: Tx,
  waker: Waker,
  { orgId, id, endParked = false }: ToCancel,
): Promise<'cancelled' | 'cancelling' | null> {
  // One that rests has begun something: that is for a worker to undo.
  const idle = sql`(status = 'queued' or (${endParked} and status = 'parked' and gate is not null))`
  const { rows } = await sql<{ lane: string; status: string }>`
    update run set cancel = true, gate = null, wake_at = null, urgency = ${URGENCY.emergency},
      status = case when ${idle} then 'cancelled' else 'running' end,
      finished_at = case when ${idle} then clock_timestamp() end
    where id = ${id} and org_id = ${orgId} and status in ('queued', 'running', 'parked')
      and not cancel and outcome is null
    returning lane, status`.execute(tx)
  const [row] = rows
  if (!row) return null
  if (row.status === 'cancelled') {
    // A parked one held its lane back.
    if (endParked) await waker.wake(tx, row.lane)
    return 'cancelled'
  }
  // Was parked: a worker undoes it. Is running: its worker aborts the step.
  await waker.wake(tx, row.lane)
  await sql`select pg_notify(${RUN_CHANNEL}, ${`cancel ${id}`})`.execute(tx)
  return 'cancelling'
}
