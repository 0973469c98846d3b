import { type Insertable, sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'

export type HostRow = Insertable<Tables['hostName']>

/** Whether the name is this project's now: false when another one has it. */
export async function claim(db: Queryable, row: HostRow): Promise<boolean> {
  const done = await db
    .insertInto('hostName')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('host')
        .doUpdateSet({ service: row.service, port: row.port, pathPrefix: row.pathPrefix })
        .where('hostName.projectId', '=', row.projectId),
    )
    .returning('host')
    .executeTakeFirst()
  return done !== undefined
}

export const ofProject = (db: Queryable, projectId: string) =>
  db.selectFrom('hostName').selectAll().where('projectId', '=', projectId).orderBy('host').execute()

type Route = {
  host: string
  pathPrefix: string | null
  project: string
  service: string
  port: number
  also: number | null
}

/** Where the names of a server, or of one project there, lead. A name that went to another project leads nowhere from here. */
export async function routesOn(db: Queryable, serverId: string, projectId: string | null = null): Promise<Route[]> {
  const { rows } = await sql<Route>`
    select r.host, r."pathPrefix" as path_prefix, d.project_id as project, r.service, r.port, r.also
    from deployment d
    cross join lateral jsonb_to_recordset(d.routes) as r(host text, "pathPrefix" text, service text, port int, also int)
    join host_name h on h.host = r.host and h.project_id = d.project_id
    where d.routed and d.server_id = ${serverId} and (${projectId}::text is null or d.project_id = ${projectId})
    order by r.host`.execute(db)
  return rows
}
