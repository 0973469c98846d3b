import type { DeploymentStatus } from '@slipway/contract/deployment-states'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { ProjectScope } from '../../projects/store.ts'

type Counts = { total: number; serving: number; queued: number; running: number; waiting: number }

const inScope = ({ orgId, projectId }: ProjectScope, column: 'p.id' | 'd.project_id', table: 'p' | 'd') =>
  sql<boolean>`${sql.ref(`${table}.org_id`)} = ${orgId}
    and (${projectId}::text is null or ${sql.ref(column)} = ${projectId})`

/** Beyond that nobody reads the number: what is counted here is read whole. */
const MOST_COUNTED = 1000

/** Each by an index of its own, and no further than that: none of them reads deployments that are over. */
export async function counts(db: Queryable, scope: ProjectScope): Promise<Counts> {
  const open = (condition: ReturnType<typeof sql>) => sql`
    (select count(*)::int from (select 1 from deployment d where ${inScope(scope, 'd.project_id', 'd')}
      and finished_at is null and ${condition} limit ${MOST_COUNTED}) t)`
  const projects = sql`(select p.id from project p where ${inScope(scope, 'p.id', 'p')} limit ${MOST_COUNTED})`
  const { rows } = await sql<Counts>`
    select
      (select count(*)::int from ${projects} t) as total,
      (select count(*)::int from ${projects} p join deployment a on a.project_id = p.id and a.active) as serving,
      ${open(sql`status = 'queued'`)} as queued,
      ${open(sql`status in ('building', 'deploying') and waiting_on is null`)} as running,
      ${open(sql`status in ('queued', 'building', 'deploying', 'partial_failure') and waiting_on is not null`)} as waiting
  `.execute(db)
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

/** So many failures are looked at: of most projects a newer deployment has mended them. */
const MOST_LOOKED_AT = 400

/** Deployments that need somebody: those that wait, the newest of each project if it failed, and releases on another engine than is there. */
export async function concerns(db: Queryable, scope: ProjectScope, limit: number): Promise<Concern[]> {
  const mine = inScope(scope, 'd.project_id', 'd')
  const { rows } = await sql<Concern>`
    select c.kind, c.since, c.message, p.id as project, p.name as "projectName", c.id, c.number, c.status
    from (
      (select 'waits' as kind, d.created_at as since, d.error ->> 'message' as message, d.id, d.number, d.status, d.project_id
        from deployment d where ${mine} and d.finished_at is null and d.waiting_on is not null
        and d.status in ('queued', 'building', 'deploying', 'partial_failure') order by d.id desc limit ${limit})
      union all
      (select 'failed', coalesce(d.finished_at, d.created_at), d.error ->> 'message', d.id, d.number, d.status, d.project_id
        from (${failed(scope)}) d where not exists (
          select 1 from deployment n where n.project_id = d.project_id and n.id > d.id) order by d.id desc limit ${limit})
      union all
      (select 'unknown', a.created_at, null, a.id, a.number, a.status, a.project_id
        from server s cross join lateral (
          (select * from deployment d where ${mine} and d.server_id = s.id and d.active
            and d.engine_id < s.engine_id limit ${limit})
          union all
          (select * from deployment d where ${mine} and d.server_id = s.id and d.active
            and d.engine_id > s.engine_id limit ${limit})) a
        where s.org_id = ${scope.orgId} limit ${limit})) c
    join project p on p.id = c.project_id
    order by c.since desc limit ${limit}`.execute(db)
  return rows
}

/** The newest failures of all; of one project its newest deployment, if it failed. */
const failed = ({ orgId, projectId }: ProjectScope) =>
  projectId === null
    ? sql`select * from deployment where org_id = ${orgId} and status = 'failed' order by id desc limit ${MOST_LOOKED_AT}`
    : sql`select * from (select * from deployment where project_id = ${projectId} and org_id = ${orgId}
        order by id desc limit 1) newest where status = 'failed'`
