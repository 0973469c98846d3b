import type { Page, PageQuery } from '@slipway/contract/pages'
import type { Server, ServerPolicyPatch, ServerReport } from '@slipway/contract/servers'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Config } from '../../config.ts'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import type { Pages } from '../fair-share.ts'
import { startOf, toPage } from '../page.ts'
import { policyOf } from './policy.ts'

export type ServerRow = Selectable<Tables['server']>
type Settings = Pick<Config, 'mode' | 'localEngine'>

export async function list(db: Queryable, orgId: string, query: PageQuery, settings: Settings): Promise<Page<Server>> {
  const rows = await db
    .selectFrom('server')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '<', startOf(query))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return toPage(
    rows,
    query,
    (row) => row.id,
    (row) => shape(row, settings),
  )
}

export const find = (db: Queryable, orgId: string, id: string) =>
  db.selectFrom('server').selectAll().where('orgId', '=', orgId).where('id', '=', id).executeTakeFirst()

/** For the operator, who has no organization. */
export const anywhere = (db: Queryable, id: string) =>
  db.selectFrom('server').selectAll().where('id', '=', id).executeTakeFirst()

/** Nothing comes back when its name, or the local engine, is taken. */
export const insert = (db: Queryable, server: Insertable<Tables['server']>) =>
  db
    .insertInto('server')
    .values(server)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const hasName = async (db: Queryable, orgId: string, name: string, except: string | null) => {
  const row = await db
    .selectFrom('server')
    .select('id')
    .where('orgId', '=', orgId)
    .where(sql<string>`lower(name)`, '=', sql<string>`lower(${name})`)
    .executeTakeFirst()
  return row !== undefined && row.id !== except
}

export const update = (
  db: Queryable,
  orgId: string,
  id: string,
  ifMatch: number | null,
  { policy, ...changes }: Omit<Updateable<Tables['server']>, 'policy'> & { policy?: ServerPolicyPatch | undefined },
) =>
  db
    .updateTable('server')
    .set({ ...changes, ...(policy && { policy: patched(policy) }), version: sql`version + 1`, updatedAt: sql`now()` })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where((eb) => (ifMatch === null ? eb.lit(true) : eb('version', '=', ifMatch)))
    .returningAll()
    .executeTakeFirst()

/** By one statement: two who change different settings do not undo each other. `null` takes back what was said. */
const patched = (policy: ServerPolicyPatch) =>
  sql<string>`jsonb_strip_nulls(policy || ${JSON.stringify(policy)}::jsonb)`

/** What a check found is about one way of reaching the server: it is dropped when that changed meanwhile. */
export const saveReport = (db: Queryable, server: ServerRow, report: ServerReport, hostKey: string | null) =>
  db
    .updateTable('server')
    .set({ lastReport: JSON.stringify(report), hostKey: sql`coalesce(host_key, ${hostKey}::text)` })
    .where('orgId', '=', server.orgId)
    .where('id', '=', server.id)
    .where('version', '=', server.version)
    .returningAll()
    .executeTakeFirst()

/** Which engine it turned out to be. */
export async function saveEngine(db: Queryable, server: ServerRow, engineId: string | null): Promise<void> {
  await db
    .updateTable('server')
    .set({ engineId })
    .where('orgId', '=', server.orgId)
    .where('id', '=', server.id)
    .where('version', '=', server.version)
    .execute()
}

/** All servers of the organization that may be the same engine: by its id, or because theirs is not known. */
export const sameEngine = (db: Queryable, server: ServerRow) =>
  db
    .selectFrom('server')
    .select(['id', 'engineId'])
    .where('orgId', '=', server.orgId)
    .where((eb) => eb.or([eb('id', '=', server.id), eb('engineId', 'is', null), eb('engineId', '=', server.engineId)]))
    .execute()

const PAGE = 200

const pageAfter = (db: Queryable, last: ServerRow | null) =>
  db
    .selectFrom('server')
    .selectAll()
    .where('id', '>', last?.id ?? '')
    .orderBy('id')
    .limit(PAGE)

/** Servers that something was ever deployed to. */
export const used =
  (db: Queryable): Pages<ServerRow> =>
  (last) =>
    pageAfter(db, last)
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('deployment').select('id').whereRef('deployment.serverId', '=', 'server.id')),
      )
      .execute()

/** Servers that are to be compared now, and that something was ever deployed to: for some minutes nobody else takes them. */
export async function takeToCompare(db: Queryable, most: number): Promise<ServerRow[]> {
  const due = await db
    .updateTable('server')
    .set({ compareAt: sql<Date>`date_trunc('milliseconds', now() + interval '5 minutes')` })
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('server')
        .select('id')
        .where('compareAt', '<=', sql<Date>`now()`)
        .orderBy('compareAt')
        .limit(most)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .returning(sql<boolean>`exists (select 1 from deployment d where d.server_id = server.id)`.as('used'))
    .execute()
  return due.filter(({ used }) => used)
}

/** It was compared, and is due again in an hour or so; or it was not, and is due at once. Unless somebody wants it sooner. */
export async function compared(db: Queryable, { id, orgId, compareAt }: ServerRow, done: boolean): Promise<void> {
  const next = done ? sql<Date>`now() + interval '1 hour' * (0.9 + random() / 5)` : sql<Date>`now()`
  await db
    .updateTable('server')
    .set({ compareAt: next })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where('compareAt', '=', compareAt)
    .execute()
}

/** Within minutes: something may have reached it unseen. */
export async function compareSoon(db: Queryable, { id, orgId }: Pick<ServerRow, 'id' | 'orgId'>): Promise<void> {
  await db
    .updateTable('server')
    .set({ compareAt: sql<Date>`least(compare_at, now() + interval '5 minutes')` })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .execute()
}

/** Servers whose edge is to lead somewhere. */
export const withRoutes =
  (db: Queryable): Pages<ServerRow> =>
  (last) =>
    pageAfter(db, last)
      .where(({ exists, or, and, eb, selectFrom }) =>
        or([
          exists(
            selectFrom('deployment')
              .select('id')
              .whereRef('deployment.serverId', '=', 'server.id')
              .where(sql<boolean>`deployment.routed`),
          ),
          // The platform's own name leads to this machine, whether or not anything was deployed there.
          and([
            eb('server.kind', '=', 'local'),
            exists(
              selectFrom('hostName')
                .select('host')
                .where('kind', '=', 'platform')
                .whereRef('hostName.orgId', '=', 'server.orgId'),
            ),
          ]),
        ]),
      )
      .execute()

/** Projects that run on a server or have deployments there; some of them. */
export async function projectsOn(db: Queryable, orgId: string, id: string) {
  const { rows } = await sql<{ name: string; runs: boolean }>`
    select name, coalesce(server_id = ${id}, false) as runs from project where org_id = ${orgId} and id in (
      (select id from project where server_id = ${id} and org_id = ${orgId} limit 3)
      union (select distinct project_id from deployment where server_id = ${id} and org_id = ${orgId} limit 3))
    order by runs desc, name limit 3`.execute(db)
  return rows
}

export async function remove(db: Queryable, orgId: string, id: string): Promise<void> {
  await db.deleteFrom('server').where('orgId', '=', orgId).where('id', '=', id).execute()
}

/** The socket of this machine's engine is where this process has been told that it is, not where it once was. */
export const socketOf = ({ localEngine }: Settings, { kind, socketPath }: ServerRow): string | null =>
  (kind === 'local' ? localEngine : null) ?? socketPath

export function shape(row: ServerRow, settings: Settings): Server {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    host: row.host,
    port: row.port,
    user: row.loginUser,
    socketPath: socketOf(settings, row),
    hostKey: row.hostKey,
    publicKey: row.publicKey,
    policy: policyOf(settings, row.policy),
    lastReport: row.lastReport,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** Enough to know whether there is exactly one. */
export const firstTwo = (db: Queryable, orgId: string) =>
  db.selectFrom('server').selectAll().where('orgId', '=', orgId).orderBy('id').limit(2).execute()

/** Where the servers of an organization are, and whether they were ever used. */
export const whereabouts = (db: Queryable, orgId: string) =>
  db.selectFrom('server').select(['id', 'kind', 'host', 'engineId']).where('orgId', '=', orgId).orderBy('id').execute()

/** For what has checked already that it is there. */
export const load = (db: Queryable, orgId: string, id: string) =>
  db.selectFrom('server').selectAll().where('orgId', '=', orgId).where('id', '=', id).executeTakeFirstOrThrow()

export type Health = { id: string; name: string; ok: boolean | null; checkedAt: string | null; found: string | null }

/** How the servers of an organization were when somebody last looked; `found`: the first thing that was wrong. */
export async function health(db: Queryable, orgId: string): Promise<Health[]> {
  const { rows } = await sql<Health>`
    select id, name, (last_report ->> 'ok')::boolean as ok, last_report ->> 'checkedAt' as "checkedAt",
      (select c ->> 'found' from jsonb_array_elements(last_report -> 'checks') c
        where c ->> 'state' = 'failed' limit 1) as found
    from server where org_id = ${orgId} order by id`.execute(db)
  return rows
}
