import type { LimitKind } from '@slipway/contract/limits'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../db/database.ts'

/** What the operator said for this organization; undefined: nothing, null: no limit. */
export async function override(db: Queryable, orgId: string, kind: LimitKind): Promise<number | null | undefined> {
  const row = await db
    .selectFrom('organizationLimit')
    .select('most')
    .where('orgId', '=', orgId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row && (row.most === null ? null : Number(row.most))
}

export async function putOverride(db: Queryable, orgId: string, kind: LimitKind, most: number | null): Promise<void> {
  await db
    .insertInto('organizationLimit')
    .values({ orgId, kind, most })
    .onConflict((conflict) => conflict.columns(['orgId', 'kind']).doUpdateSet({ most }))
    .execute()
}

export async function removeOverride(db: Queryable, orgId: string, kind: LimitKind): Promise<void> {
  await db.deleteFrom('organizationLimit').where('orgId', '=', orgId).where('kind', '=', kind).execute()
}

/** A mutex of all processes, until the end of the transaction: whoever comes second counts what the first has made. */
export async function lock(tx: Tx, orgId: string, kind: LimitKind): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`limit ${kind} ${orgId}`}, 0))`.execute(tx)
}

/** The places that builds of an organization hold while they run. */
export const buildsOf = (orgId: string) => `builds:${orgId}`

/** Those that have a place, beside that of one run: it may come back to the place that it was given. */
export async function countOtherBuilds(db: Queryable, orgId: string, runId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from run_limit where name = ${buildsOf(orgId)} and held and run_id <> ${runId}`.execute(
    db,
  )
  return rows[0]?.n ?? 0
}

/**
 * What there is, each in one statement and so of one moment. A setup link is for somebody who is a member already; an
 * invitation that is used becomes a member in the same transaction. A release that is coming takes the place of the project's
 * active one: of both, what asks for more memory counts.
 */
const COUNTS: Record<LimitKind, (orgId: string) => RawBuilder<{ used: string }>> = {
  projects: (orgId) => sql`select count(*) as used from project where org_id = ${orgId}`,
  members: (orgId) => sql`
    select (select count(*) from member where org_id = ${orgId}) + (
      select count(*) from invitation
      where org_id = ${orgId} and accepted_at is null and expires_at > now() and not setup) as used`,
  concurrentBuilds: (orgId) => sql`select count(*) as used from run_limit where name = ${buildsOf(orgId)} and held`,
  memoryBytes: (orgId) => sql`
    select coalesce(sum(bytes), 0) as used from (
      select max(memory_bytes) as bytes from (
        select d.project_id, d.memory_bytes from project p join deployment d on d.project_id = p.id and d.active
        where p.org_id = ${orgId}
        union all
        select project_id, memory_bytes from deployment
        where org_id = ${orgId} and status in ('building', 'deploying', 'partial_failure') and finished_at is null
      ) releases group by project_id) projects`,
  uploadBytes: (orgId) => sql`select coalesce(sum(bytes), 0) as used from organization_upload where org_id = ${orgId}`,
  logBytesPerDay: (orgId) => usedForLogs(orgId),
}

const usedForLogs = (orgId: string): RawBuilder<{ used: string }> => sql`
  select coalesce(sum(bytes), 0) as used from organization_log
  where org_id = ${orgId} and hour > now() - interval '1 day'`

/**
 * Counts a batch of lines towards the day, unless the day is full, in one statement. Several that come at once may each fill it: it is
 * passed by no more than their batches. Hours that count no more are forgotten on the way.
 */
export async function takeLogBytes(
  db: Queryable,
  orgId: string,
  bytes: number,
  most: number,
): Promise<{ used: number; taken: boolean }> {
  const { rows } = await sql<{ used: string; taken: boolean }>`
    with day as (${usedForLogs(orgId)}),
    taken as (
      insert into organization_log (org_id, hour, bytes)
      select ${orgId}, date_trunc('hour', now()), ${bytes}::bigint from day where used < ${most}
      on conflict (org_id, hour) do update set bytes = organization_log.bytes + excluded.bytes returning 1),
    forgotten as (delete from organization_log where org_id = ${orgId} and hour < now() - interval '2 days')
    select used, exists (select 1 from taken) as taken from day`.execute(db)
  return { used: Number(rows[0]?.used ?? 0), taken: rows[0]?.taken ?? true }
}

export async function count(db: Queryable, orgId: string, kind: LimitKind): Promise<number> {
  const { rows } = await COUNTS[kind](orgId).execute(db)
  return Number(rows[0]?.used ?? 0)
}

export async function organizationExists(db: Queryable, id: string): Promise<boolean> {
  return (await db.selectFrom('organization').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}
