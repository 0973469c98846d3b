import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/** The names of the project lead to this deployment from now on, or (null) nowhere. */
export async function setRouted(db: Queryable, projectId: string, id: string | null): Promise<void> {
  await db
    .updateTable('deployment')
    .set({ routed: false })
    .where('projectId', '=', projectId)
    .where('routed', '=', true)
    .$if(id !== null, (query) => query.where('id', '<>', id ?? ''))
    .execute()
  if (id === null) return
  await db
    .updateTable('deployment')
    .set({ routed: true })
    .where('projectId', '=', projectId)
    .where('id', '=', id)
    .execute()
}

/** No name leads to two ports of a service any more; whether one did. */
export async function forgetOtherPorts(db: Queryable, projectId: string): Promise<boolean> {
  const { rows } = await sql`
    update deployment set routes = (select coalesce(jsonb_agg(r - 'also'), '[]') from jsonb_array_elements(routes) r)
    where project_id = ${projectId} and routes @? '$[*].also' returning id`.execute(db)
  return rows.length > 0
}
