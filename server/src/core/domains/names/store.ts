import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import type { Tables } from '../../../db/tables.ts'
import type { ProjectScope } from '../../projects/store.ts'
import * as certificates from '../certificates/store.ts'
import { routesToPlatform } from './platform-store.ts'

type OfProject = { projectId: string; kind: 'free' | 'custom' }
export type Claim = Omit<Insertable<Tables['hostName']>, keyof OfProject> &
  OfProject & { service: string; port: number; pathPrefix: string | null }

/** A host and one of the places on it where a service begins. */
export type Named = Omit<Selectable<Tables['hostName']>, keyof OfProject> &
  OfProject & { service: string; port: number; pathPrefix: string | null }

/**
 * Whether the name is this project's now: false when another one has it. What it leads to there, or below that path, is
 * set; other paths of it stay. Its certificate is looked for from now on.
 */
export async function claim(db: Queryable, { service, port, pathPrefix, ...row }: Claim): Promise<boolean> {
  const { host, orgId, projectId, redirect, hsts, redirectTo } = row
  // A deployment that names it says nothing about https.
  const said = Object.fromEntries(
    Object.entries({ redirect, hsts, redirectTo }).filter(([, value]) => value !== undefined),
  )
  const done = await db
    .insertInto('hostName')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('host')
        .doUpdateSet({ projectId, ...said })
        .where('hostName.projectId', '=', projectId),
    )
    .returning('host')
    .executeTakeFirst()
  if (done === undefined) return false
  await db
    .insertInto('hostPath')
    .values({ host, service, port, pathPrefix: pathPrefix ?? '' })
    .onConflict((conflict) => conflict.columns(['host', 'pathPrefix']).doUpdateSet({ service, port }))
    .execute()
  await certificates.insert(db, { id: newId('crt'), orgId, projectId, host })
  return true
}

export async function ofProject(db: Queryable, projectId: string): Promise<Named[]> {
  const { rows } = await sql<Named>`
    select h.*, p.service, p.port, nullif(p.path_prefix, '') as path_prefix
    from host_name h join host_path p on p.host = h.host
    where h.project_id = ${projectId} order by h.host, p.path_prefix`.execute(db)
  return rows
}

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

/** Whose project has a name. */
export const holderOf = (db: Queryable, host: string) =>
  db.selectFrom('hostName').select(['orgId', 'projectId']).where('host', '=', host).executeTakeFirst()

/** Whether one of these names is another project's, of whatever organization. */
export async function isOtherProjects(db: Queryable, projectId: string, hosts: string[]): Promise<boolean> {
  if (hosts.length === 0) return false
  const found = db.selectFrom('hostName').select('host').where('host', 'in', hosts).where('projectId', '<>', projectId)
  return (await found.executeTakeFirst()) !== undefined
}

/** Whether one of these is another organization's and leads here: to have named it is not to have it. */
export async function isAnothersHere(db: Queryable, orgId: string, hosts: string[]): Promise<boolean> {
  const { rows } = await sql`
    select 1 from host_name h left join certificate c on c.host = h.host
    where h.host = any(${hosts}::text[]) and h.org_id <> ${orgId} and (h.kind = 'free' or c.dns_ok) limit 1`.execute(db)
  return rows.length > 0
}

export async function countHosts(db: Queryable, projectId: string): Promise<number> {
  const { n } = await db
    .selectFrom('hostName')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Whether one of these names is another organization's. */
export async function isAnothers(db: Queryable, orgId: string, hosts: string[]): Promise<boolean> {
  const found = await db
    .selectFrom('hostName')
    .select('host')
    .where('host', 'in', hosts)
    .where('orgId', '<>', orgId)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * A page of an organization's names, or of one project's, by name and path; one row more than it holds. Each name has a path, and the
 * first may be shown already: two names more than the page are all that is read, however many there are. A project is found by its
 * own index alone, because PostgreSQL does not know that all names of one are of one organization.
 */
export async function page(
  db: Queryable,
  { orgId, projectId }: ProjectScope,
  after: Place,
  limit: number,
): Promise<(Named & { projectName: string })[]> {
  const within =
    projectId === null ? sql`org_id = ${orgId}` : sql`project_id = ${projectId} and org_id || '' = ${orgId}`
  const { rows } = await sql<Named & { projectName: string }>`
    select h.*, p.service, p.port, nullif(p.path_prefix, '') as path_prefix, o.name as project_name
    from (select * from host_name where ${within} and project_id is not null and host >= ${after.host}
      order by host limit ${limit + 2}) h
    join host_path p on p.host = h.host join project o on o.id = h.project_id
    where (h.host, p.path_prefix) > (${after.host}, ${after.pathPrefix})
    order by h.host, p.path_prefix limit ${limit + 1}`.execute(db)
  return rows
}

export type Place = { host: string; pathPrefix: string }

/** Names of a project that visitors are sent to https for. */
export async function secured(db: Queryable, projectId: string): Promise<Set<string>> {
  const { rows } = await sql<{ host: string }>`
    select h.host from host_name h join certificate c on c.host = h.host
    where h.project_id = ${projectId} and c.installed is not null and c.not_after > now()`.execute(db)
  return new Set(rows.map(({ host }) => host))
}

/** Those of these projects that have a release, each with the names that the edge leads to it. */
export async function liveHosts(db: Queryable, projectIds: string[]): Promise<Map<string, Set<string>>> {
  if (projectIds.length === 0) return new Map()
  const { rows } = await sql<{ projectId: string; hosts: string[] }>`
    select d.project_id, array(select r.host from jsonb_to_recordset(d.routes) as r(host text)) as hosts
    from deployment d where d.project_id = any(${projectIds}::text[]) and d.routed`.execute(db)
  return new Map(rows.map(({ projectId, hosts }) => [projectId, new Set(hosts)]))
}

/** From here on nobody else says where the project's names send visitors. */
export async function lockNames(db: Queryable, projectId: string): Promise<void> {
  await db.selectFrom('project').select('id').where('id', '=', projectId).forNoKeyUpdate().execute()
}

/** Whoever was sent to a name that is gone stays where they came. */
async function sendNobodyTo(db: Queryable, projectId: string, host: string): Promise<void> {
  const sent = db.updateTable('hostName').set({ redirectTo: null }).where('projectId', '=', projectId)
  await sent.where('redirectTo', '=', host).execute()
}

/** Whether it was this project's. */
export async function release(db: Queryable, projectId: string, host: string): Promise<boolean> {
  await sendNobodyTo(db, projectId, host)
  const done = await db
    .deleteFrom('hostName')
    .where('projectId', '=', projectId)
    .where('host', '=', host)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** Only what begins at this path. Whether there was such a thing; the host goes with the last of them. */
export async function releasePath(db: Queryable, projectId: string, { host, pathPrefix }: Place): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from host_path p using host_name h
    where h.host = p.host and h.project_id = ${projectId} and p.host = ${host} and p.path_prefix = ${pathPrefix}`.execute(
    db,
  )
  if (numAffectedRows === 0n) return false
  const { numAffectedRows: gone = 0n } = await sql`
    delete from host_name h where h.host = ${host} and h.project_id = ${projectId}
      and not exists (select 1 from host_path p where p.host = h.host)`.execute(db)
  if (gone > 0n) await sendNobodyTo(db, projectId, host)
  return true
}

type Route = {
  host: string
  pathPrefix: string | null
  project: string
  service: string
  port: number
  also: number | null
  secure: 'redirect' | 'hsts' | null
  redirectTo: { host: string; https: boolean } | null
}

/**
 * Where the names of a server, or of one project there, lead. A name that went to another project leads nowhere from here, and so does
 * one whose release another engine ran.
 * To https they are sent only while an edge was seen to have a certificate that is good.
 */
export async function routesOn(db: Queryable, serverId: string, projectId: string | null = null): Promise<Route[]> {
  const ofProjects = await routesWhere(
    db,
    sql`d.routed and d.server_id = ${serverId} and (${projectId}::text is null or d.project_id = ${projectId})
      and not exists (select 1 from server s where s.id = d.server_id and s.engine_id <> d.engine_id)`,
  )
  return projectId === null ? [...ofProjects, ...(await routesToPlatform(db, serverId))] : ofProjects
}

/** What the edge would have if the names of its project led to this deployment. */
export const routesOf = (db: Queryable, projectId: string, id: string): Promise<Route[]> =>
  routesWhere(db, sql`d.project_id = ${projectId} and d.id = ${id}`)

async function routesWhere(db: Queryable, isMeant: RawBuilder<unknown>): Promise<Route[]> {
  const { rows } = await sql<Route>`
    select r.host, r."pathPrefix" as path_prefix, d.project_id as project, r.service, r.port, r.also,
      case when c.installed is not null and c.not_after > now() then
        case when h.hsts then 'hsts' when h.redirect then 'redirect' end end as secure,
      case when o.host is not null then jsonb_build_object('host', o.host, 'https',
        oc.installed is not null and oc.not_after > now() and o.redirect) end as redirect_to
    from deployment d
    cross join lateral jsonb_to_recordset(d.routes) as r(host text, "pathPrefix" text, service text, port int, also int)
    join host_name h on h.host = r.host and h.project_id = d.project_id
    left join certificate c on c.host = h.host
    left join host_name o on o.host = h.redirect_to and o.project_id = d.project_id and o.redirect_to is null
    left join certificate oc on oc.host = o.host
    where ${isMeant}
    order by r.host, r."pathPrefix" nulls first`.execute(db)
  return rows
}
