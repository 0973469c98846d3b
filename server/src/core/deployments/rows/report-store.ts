import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

const STATE = sql`case
  when d.status in ('building', 'deploying') then d.status
  when d.status = 'partial_failure' and d.decision = 'pending' then 'deciding'
  when d.status = 'ready' or d.decision = 'kept' then 'success'
  when d.status in ('failed', 'rejected') then 'failure'
  when d.status = 'cancelled' then 'cancelled' end`

/**
 * Outbox: what the git host is to be told of a deployment is written in the transaction that makes it true, and sent by
 * others. One row for each; the newest state wins. One that only waited leaves no mark at the host.
 */
export async function noteReport(tx: Queryable, id: string): Promise<void> {
  await sql`
    insert into githost_report as r (deployment_id, org_id, project_id, repo_id, sha, state, send_at)
    select d.id, d.org_id, d.project_id, p.githost_repo_id, d.source ->> 'commitSha', ${STATE}, clock_timestamp()
    from deployment d join project p on p.id = d.project_id and p.org_id = d.org_id
    where d.id = ${id} and d.source ->> 'kind' = 'git' and d.source ->> 'commitSha' is not null
      and p.githost_repo_id is not null and p.githost_allowed and ${STATE} is not null
      and coalesce((p.settings ->> 'reportStatus')::boolean, true)
    on conflict (deployment_id) do update set state = excluded.state, send_at = excluded.send_at, attempts = 0,
      updated_at = clock_timestamp() where r.state <> excluded.state`.execute(tx)
}
