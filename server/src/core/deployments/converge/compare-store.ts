import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

type ActiveRow = { id: string; projectId: string; release: string | null; engineId: string | null; open: boolean }

/** The releases that these servers are to run, by project. `open`: something of the project is under way. */
export async function activeOn(db: Queryable, servers: string[], after: string, most: number): Promise<ActiveRow[]> {
  const { rows } = await sql<ActiveRow>`
    select id, project_id, release, engine_id, exists (
      select 1 from run where lane = d.project_id and status in ('queued', 'running', 'parked')) as open
    from deployment d where active and server_id = any(${servers}) and project_id > ${after}
    order by project_id limit ${most}`.execute(db)
  return rows
}

/** The engines that the active releases of a server were rolled out on, as far as that is known. */
export async function enginesOf(db: Queryable, { orgId, id }: { orgId: string; id: string }): Promise<string[]> {
  const { rows } = await sql<{ engineId: string }>`
    select distinct engine_id from deployment
    where org_id = ${orgId} and server_id = ${id} and active and engine_id is not null`.execute(db)
  return rows.map((row) => row.engineId)
}

/** Which of these projects we know, that run nowhere on purpose or elsewhere, and of which nothing is under way. */
export async function idleProjects(db: Queryable, orgId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select id from project p where org_id = ${orgId} and id = any(${ids})
      and exists (select 1 from deployment where project_id = p.id)
      and not exists (select 1 from run where lane = p.id and status in ('queued', 'running', 'parked'))`.execute(db)
  return rows.map((row) => row.id)
}

/** On the newest deployment of each, the active one if there is one: the mark only has to be found. */
export async function markToSettle(db: Queryable, orgId: string, projects: string[]): Promise<void> {
  await sql`
    update deployment set settle_after = clock_timestamp() where settle_after is null and id in (
      select distinct on (project_id) id from deployment where org_id = ${orgId} and project_id = any(${projects})
      order by project_id, active desc, id desc)`.execute(db)
}
