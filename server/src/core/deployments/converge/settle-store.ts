import type { DeploymentService } from '@slipway/contract/deployment-shape'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { isOfOrg } from '../rows/store.ts'

/** Servers on which something of the project may be. */
export async function serversOf(db: Queryable, orgId: string, projectId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('deployment')
    .select('serverId')
    .distinct()
    .where('projectId', '=', projectId)
    .where(isOfOrg(orgId))
    .execute()
  return rows.map((row) => row.serverId)
}

/** `names`: the services of the release that is active; others are gone. */
type Settled = { after: DeploymentService['status']; again: boolean; names?: string[] }

/**
 * What was found in the end, written to every deployment of the project that left it open. What still ends is gone in a moment, most of
 * the time; what is not after five minutes is no longer asked for so often.
 */
export async function writeSettled(
  db: Queryable,
  projectId: string,
  { after, again, names = [] }: Settled,
): Promise<void> {
  await sql`
    update deployment set settle_after = case when ${again} then clock_timestamp() + case
        when finished_at > statement_timestamp() - interval '5 minutes' then interval '10 seconds' else interval '1 minute' end end,
      services = (select coalesce(jsonb_agg(
        case when s ->> 'status' <> 'deploying' then s
          when ${after}::text = 'restored' and jsonb_array_length(services) > 1 and not s ->> 'name' = any(${names}::text[])
            then jsonb_set(s, '{status}', '"removed"')
          else jsonb_set(s, '{status}', to_jsonb(${after}::text)) end order by place), '[]')
        from jsonb_array_elements(services) with ordinality t(s, place))
    where project_id = ${projectId} and settle_after is not null and status in ('failed', 'cancelled', 'rejected')`.execute(
    db,
  )
  if (again) return
  await sql`update deployment set settle_after = null where project_id = ${projectId} and settle_after is not null`.execute(
    db,
  )
}

/** It did not work: again after as long as it has been open already, a minute at least and an hour at most. */
export async function postpone(db: Queryable, projectId: string): Promise<void> {
  await sql`
    update deployment set settle_after = clock_timestamp() + least(greatest(
      clock_timestamp() - coalesce(finished_at, clock_timestamp()), interval '1 minute'), interval '1 hour')
    where project_id = ${projectId} and settle_after is not null`.execute(db)
}

/**
 * Projects with something to see to that nobody is seeing to, but not those of some organizations. One that deploys all the time gets its
 * turn between two deployments; behind one that waits for a decision there is none.
 */
export async function dueProjects(
  db: Queryable,
  most: number,
  except: string[],
): Promise<{ orgId: string; projectId: string }[]> {
  const { rows } = await sql<{ orgId: string; projectId: string }>`
    select distinct org_id, project_id from deployment d where settle_after <= statement_timestamp() and not exists (
      select 1 from run where lane = d.project_id and status in ('queued', 'running', 'parked')
        and (kind = 'settle' or status = 'parked'))
    and org_id <> all(${except}) limit ${most}`.execute(db)
  return rows
}
