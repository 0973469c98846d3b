import type { Page, PageQuery } from '@slipway/contract/pages'
import { type Project, ProjectSettings } from '@slipway/contract/projects'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { type Pool, statement } from '../../db/statement.ts'
import type { Tables } from '../../db/tables.ts'
import type { Caller } from '../access/caller.ts'
import { startOf, toPage } from '../page.ts'

export type ProjectRow = Selectable<Tables['project']>

/** Every query names the organization and, for a token that is restricted to one project, that project. */
export type ProjectScope = Pick<Caller, 'orgId' | 'projectId'>

const COLUMNS = `id, name, repository, branch, git_credential_shown as "gitCredentialShown",
  server_id as "serverId", target, settings, auto_deploy_paused as "autoDeployPaused", githost_problem as "githostProblem", version,
  created_at as "createdAt", updated_at as "updatedAt"`

const findShown = statement<ProjectRow>(
  'project.find',
  `select ${COLUMNS} from project where id = $2 and org_id = $1 and ($3::text is null or id = $3)`,
)
const listShown = statement<ProjectRow>(
  'project.list',
  `select ${COLUMNS} from project where org_id = $1 and id < $2 order by id desc limit $3`,
)
const listNamed = statement<ProjectRow>(
  'project.list-named',
  `select ${COLUMNS} from project
   where org_id = $1 and lower(name) = lower($2) and ($3::text is null or id = $3)`,
)

export async function show(pool: Pool, scope: ProjectScope, id: string): Promise<Project | undefined> {
  const [row] = await findShown(pool, [scope.orgId, id, scope.projectId])
  return row && shape(row)
}

export async function list(
  pool: Pool,
  scope: ProjectScope,
  query: PageQuery & { name?: string | undefined },
): Promise<Page<Project>> {
  if (scope.projectId !== null && query.name === undefined) {
    const only = await show(pool, scope, scope.projectId)
    return { data: only ? [only] : [], nextCursor: null }
  }
  const rows =
    query.name === undefined
      ? await listShown(pool, [scope.orgId, startOf(query), query.limit + 1])
      : await listNamed(pool, [scope.orgId, query.name.trim(), scope.projectId])
  return toPage(rows, query, (row) => row.id, shape)
}

const scoped = (db: Queryable, scope: ProjectScope) => {
  const rows = db.selectFrom('project').selectAll().where('orgId', '=', scope.orgId)
  return scope.projectId === null ? rows : rows.where('id', '=', scope.projectId)
}

export const find = (db: Queryable, scope: ProjectScope, id: string) =>
  scoped(db, scope).where('id', '=', id).executeTakeFirst()

export const findByName = (db: Queryable, scope: ProjectScope, name: string) =>
  scoped(db, scope).where(sql<string>`lower(name)`, '=', sql<string>`lower(${name})`).executeTakeFirst()

export const findByRepository = (db: Queryable, scope: ProjectScope, repository: string) =>
  scoped(db, scope).where('repository', '=', repository).orderBy('id').limit(1).executeTakeFirst()

/** Nothing comes back when the name is taken: two callers who make it at once do not both succeed. */
export const insert = (db: Queryable, project: Insertable<Tables['project']>) =>
  db
    .insertInto('project')
    .values(project)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const update = (
  db: Queryable,
  scope: ProjectScope,
  id: string,
  ifMatch: number | null,
  changes: Updateable<Tables['project']>,
) =>
  db
    .updateTable('project')
    .set({ ...changes, version: sql`version + 1`, updatedAt: sql`now()` })
    .where('orgId', '=', scope.orgId)
    .where('id', '=', id)
    .where((eb) => (ifMatch === null ? eb.lit(true) : eb('version', '=', ifMatch)))
    .returningAll()
    .executeTakeFirst()

export async function remove(db: Queryable, scope: ProjectScope, id: string): Promise<void> {
  await db.deleteFrom('project').where('orgId', '=', scope.orgId).where('id', '=', id).execute()
}

const DEFAULTS = ProjectSettings.parse({})

export function shape(row: Omit<ProjectRow, 'orgId' | 'gitCredential'>): Project {
  return {
    id: row.id,
    name: row.name,
    repository: row.repository,
    branch: row.branch,
    gitCredential: row.gitCredentialShown,
    serverId: row.serverId,
    target: row.target,
    settings: { ...DEFAULTS, ...row.settings },
    autoDeployPaused: row.autoDeployPaused,
    repositoryProblem: row.githostProblem,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** For what has checked already that it is there. */
export const load = (db: Queryable, orgId: string, id: string) =>
  db.selectFrom('project').selectAll().where('orgId', '=', orgId).where('id', '=', id).executeTakeFirstOrThrow()

/** Which of these there still are, each in the organization that is named beside it. */
export async function projectsStillThere(db: Queryable, asked: { id: string; orgId: string }[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from unnest(${asked.map(({ id }) => id)}::text[], ${asked.map(({ orgId }) => orgId)}::text[])
      as asked (id, org_id)
    join project p on p.id = asked.id and p.org_id = asked.org_id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Whether something of it is on its way to a hosted cloud. */
export async function isPromoted(db: Queryable, orgId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('promotion')
    .select('id')
    .where('orgId', '=', orgId)
    .where('projectId', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return row !== undefined
}

/** Whether something of it is on a server now, or on its way there. */
export async function isRunning(db: Queryable, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('deployment')
    .select('id')
    .where('projectId', '=', id)
    .where((eb) =>
      eb.or([
        eb('active', '=', true),
        eb('status', 'in', ['queued', 'building', 'deploying']),
        eb.and([eb('status', '=', 'partial_failure'), eb('finishedAt', 'is', null)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
