import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import type { RunReason } from '../db/tables.ts'
import { URGENCY } from './enqueue.ts'

export type ClaimedRun = {
  id: string
  lane: string
  kind: string
  version: number
  orgId: string
  input: unknown
  fence: number
  claim: string
  urgency: number
  attempts: number
  writes: number
  answers: Record<string, unknown>
  cancel: boolean
  outcome: 'failed' | 'cancelled' | null
  outcomeReason: RunReason | null
}

/** The newest version of each kind that this build knows; 1 where nothing is said. */
export type Versions = Record<string, number>
const known = (versions: Versions) => sql`version <= coalesce((${JSON.stringify(versions)}::jsonb ->> kind)::int, 1)`

/**
 * The running run of the lane (its owner is gone, or the call would not have come to us), else the oldest queued one.
 * A parked one is found first and then refused, so it holds back the rest of its lane; and so is one that only a newer
 * build knows. `least`: no less urgent one.
 */
export async function claimRun(
  db: Database,
  lane: string,
  kinds: string[],
  owner: string,
  least: number = URGENCY.usual,
  versions: Versions = {},
): Promise<ClaimedRun | undefined> {
  const { rows } = await sql<ClaimedRun>`
    update run set status = 'running', fence = fence + 1, claim = gen_random_uuid(), attempts = attempts + 1,
      owner = ${owner}, started_at = coalesce(started_at, clock_timestamp())
    where status in ('queued', 'running') and kind = any(${kinds}) and urgency >= ${least} and ${known(versions)} and id = (
      select id from run where lane = ${lane} and status in ('queued', 'running', 'parked')
      order by status = 'queued', position limit 1 for update)
    returning id, lane, kind, version, org_id, input, fence, claim, urgency, attempts, writes, answers, cancel, outcome, outcome_reason
  `.execute(db)
  return rows[0]
}

/** `since`: when an owner before this one began it. */
export type JournalEntry = { ended: boolean; output: unknown; since: Date | undefined }

export async function readJournal(db: Database, runId: string): Promise<Map<string, JournalEntry>> {
  const columns = ['name', 'output', 'startedAt', 'endedAt'] as const
  const rows = await db.selectFrom('runStep').select(columns).where('runId', '=', runId).execute()
  return new Map(
    rows.map(({ name, output, startedAt, endedAt }) => [name, { ended: endedAt !== null, output, since: startedAt }]),
  )
}

/** One that is begun again has been going on since it was begun first. */
export async function startStep(tx: Tx, runId: string, name: string, fence: number): Promise<void> {
  await tx
    .insertInto('runStep')
    .values({ runId, name, fence, startedAt: sql<Date>`clock_timestamp()` })
    .onConflict((conflict) => conflict.columns(['runId', 'name']).doUpdateSet({ fence }))
    .execute()
}

export async function endStep(tx: Tx, runId: string, name: string, output: string): Promise<void> {
  await tx
    .updateTable('runStep')
    .set({ output, endedAt: sql<Date>`clock_timestamp()` })
    .where('runId', '=', runId)
    .where('name', '=', name)
    .execute()
}

export async function hasQueued(tx: Tx, lane: string): Promise<boolean> {
  const { rows } = await sql`select 1 from run where lane = ${lane} and status = 'queued' limit 1`.execute(tx)
  return rows.length > 0
}

/** Row and call change in one transaction, so one of these without a call means that the call was deleted or gave up. */
export async function runnableLanes(
  db: Database,
  kinds: string[],
  after: string,
  most: number,
  versions: Versions = {},
): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    select distinct lane from run r
    where lane > ${after} and status in ('queued', 'running') and kind = any(${kinds}) and ${known(versions)} and (status = 'running' or
      not exists (select 1 from run a where a.lane = r.lane and a.status in ('running', 'parked')))
    order by lane limit ${most}`.execute(db)
  return rows.map((row) => row.lane)
}

/** Runs whose rest is over go on: whoever answers their calls. */
export async function endRests(tx: Tx, most: number): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    update run set status = 'running', wake_at = null where id in (
      select id from run where status = 'parked' and wake_at <= statement_timestamp()
      order by wake_at limit ${most} for update skip locked)
    returning lane`.execute(tx)
  return rows.map((row) => row.lane)
}

export const ownership = (db: Database, ids: string[]) =>
  db.selectFrom('run').select(['id', 'fence', 'claim', 'cancel']).where('id', 'in', ids).execute()

/** A PostgreSQL that has just started has heard no heartbeat yet. */
export async function isYoung(db: Database, seconds: number): Promise<boolean> {
  const { rows } = await sql<{ young: boolean }>`
    select pg_postmaster_start_time() > now() - make_interval(secs => ${seconds}) as young`.execute(db)
  return rows[0]?.young ?? true
}
