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

/** Whether the name is of a project of the caller's: of any in the organization, or of the one it is restricted to. */
export async function isManaged(
  db: Queryable,
  { orgId, projectId }: { orgId: string; projectId: string | null },
  host: string,
): Promise<boolean> {
  const row = db.selectFrom('hostName').select('host').where('orgId', '=', orgId).where('host', '=', host)
  const found = await (projectId === null ? row : row.where('projectId', '=', projectId)).executeTakeFirst()
  return found !== undefined
}

/** A page of a project's names, by name; one row more than it holds. */
export const page = (db: Queryable, projectId: string, after: string, limit: number) =>
  db
    .selectFrom('hostName')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('host', '>', after)
    .orderBy('host')
    .limit(limit + 1)
    .execute()

/** Names that the edge leads to the project's release. */
export async function liveHosts(db: Queryable, projectId: string): Promise<Set<string>> {
  const { rows } = await sql<{ host: string }>`
    select r.host from deployment d cross join lateral jsonb_to_recordset(d.routes) as r(host text)
    where d.project_id = ${projectId} and d.routed`.execute(db)
  return new Set(rows.map(({ host }) => host))
}

/** Whether it was this project's. */
export async function release(db: Queryable, projectId: string, host: string): Promise<boolean> {
  const done = await db
    .deleteFrom('hostName')
    .where('projectId', '=', projectId)
    .where('host', '=', host)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

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
