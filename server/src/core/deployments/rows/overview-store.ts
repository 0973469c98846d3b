import type { DeploymentStatus } from '@slipway/contract/deployment-states'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { ProjectScope } from '../../projects/store.ts'

type Counts = { total: number; serving: number; queued: number; running: number; waiting: number }

const inScope = ({ orgId, projectId }: ProjectScope, column: 'p.id' | 'd.project_id', table: 'p' | 'd') =>
  sql<boolean>`${sql.ref(`${table}.org_id`)} = ${orgId}
    and (${projectId}::text is null or ${sql.ref(column)} = ${projectId})`

/** Each by an index of its own: none of them reads deployments that are over. */
export async function counts(db: Queryable, scope: ProjectScope): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select
      (select count(*)::int from project p where ${inScope(scope, 'p.id', 'p')}) as total,
      (select count(*)::int from project p join deployment a on a.project_id = p.id and a.active
        where ${inScope(scope, 'p.id', 'p')}) as serving,
      count(*) filter (where status = 'queued')::int as queued,
      count(*) filter (where status in ('building', 'deploying') and waiting_on is null)::int as running,
      count(*) filter (where waiting_on is not null)::int as waiting
    from deployment d
    where ${inScope(scope, 'd.project_id', 'd')} and d.finished_at is null
      and status in ('queued', 'building', 'deploying', 'partial_failure')`.execute(db)
  return rows[0] ?? { total: 0, serving: 0, queued: 0, running: 0, waiting: 0 }
}

export type Concern = {
  kind: 'waits' | 'failed' | 'unknown'
  since: Date
  message: string | null
  project: string
  projectName: string
  id: string
  number: number
  status: DeploymentStatus
}

/** Deployments that need somebody: the newest of each project that failed or waits, and releases on another engine than is there. */
export async function concerns(db: Queryable, scope: ProjectScope, limit: number): Promise<Concern[]> {
  const { rows } = await sql<Concern>`
    select d.kind, d.since, d.message, p.id as project, p.name as "projectName", d.id, d.number, d.status
    from project p cross join lateral (
      select * from (
        select case when n.waiting_on is not null then 'waits' else 'failed' end as kind,
          coalesce(n.finished_at, n.created_at) as since, n.error ->> 'message' as message, n.id, n.number, n.status,
          n.waiting_on, n.finished_at
        from deployment n where n.project_id = p.id order by n.id desc limit 1) newest
      where (waiting_on is not null and finished_at is null) or status = 'failed'
      union all
      select 'unknown', a.created_at, null, a.id, a.number, a.status, null, null
      from deployment a join server s on s.id = a.server_id
      where a.project_id = p.id and a.active and a.engine_id <> s.engine_id) d
    where ${inScope(scope, 'p.id', 'p')}
    order by d.since desc limit ${limit}`.execute(db)
  return rows
}
