import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

/** Said to every worker: `cancel <run>` or `limit <name>`. */
export const RUN_CHANNEL = 'slipway_run'

export type Waker = { wake(tx: Tx, lane: string): Promise<void> }

export type NewRun = {
  id: string
  /** One run at a time per lane, in the order of submission. */
  lane: string
  kind: string
  orgId: string
  input: unknown
  /** Ends the runs of the lane that have not started. */
  supersede?: boolean
}

/** Everything here happens in the caller's transaction, or not at all. Returns the runs that this one superseded. */
export async function submit(tx: Tx, waker: Waker, run: NewRun): Promise<string[]> {
  const { id, lane, kind, orgId, input, supersede = false } = run
  // Two submissions at once must see each other, or neither would give way.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`run lane ${lane}`}, 0))`.execute(tx)
  const superseded = supersede ? await supersedeQueued(tx, orgId, lane) : []
  await tx
    .insertInto('run')
    .values({ id, lane, kind, orgId, input: JSON.stringify(input ?? null) })
    .execute()
  await waker.wake(tx, lane)
  return superseded
}

async function supersedeQueued(tx: Tx, orgId: string, lane: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update run set status = 'superseded', finished_at = clock_timestamp()
    where org_id = ${orgId} and lane = ${lane} and status = 'queued' returning id`.execute(tx)
  return rows.map((row) => row.id)
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

/**
 * `cancelled`: it had not started and is over. `cancelling`: it will end as cancelled, after its steps are undone.
 * Null: nothing to cancel (over, already cancelled, failing, somebody else's).
 */
export async function cancel(
  tx: Tx,
  waker: Waker,
  { orgId, id }: { orgId: string; id: string },
): Promise<'cancelled' | 'cancelling' | null> {
  const { rows } = await sql<{ lane: string; status: string }>`
    update run set cancel = true, gate = null,
      status = case status when 'queued' then 'cancelled' else 'running' end,
      finished_at = case status when 'queued' then clock_timestamp() end
    where id = ${id} and org_id = ${orgId} and status in ('queued', 'running', 'parked')
      and not cancel and outcome is null
    returning lane, status`.execute(tx)
  const [row] = rows
  if (!row) return null
  if (row.status === 'cancelled') return 'cancelled'
  // Was parked: a worker undoes it. Is running: its worker aborts the step.
  await waker.wake(tx, row.lane)
  await sql`select pg_notify(${RUN_CHANNEL}, ${`cancel ${id}`})`.execute(tx)
  return 'cancelling'
}
