import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/** Projects that have, or had, something on one of these servers. */
export async function projectsOn(db: Queryable, serverIds: string[]): Promise<{ id: string; orgId: string }[]> {
  const { rows } = await sql<{ id: string; orgId: string }>`
    select id, org_id from project p where exists (
      select 1 from deployment d where d.project_id = p.id and d.server_id = any(${serverIds}))`.execute(db)
  return rows
}

/** Which of these are not there any more. */
export async function missingProjects(db: Queryable, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::text[]) id where not exists (select 1 from project where project.id = id.id)`.execute(
    db,
  )
  return rows.map((row) => row.id)
}
