import type { DeploymentStatus } from '@slipway/contract/deployment-states'
import type { Page, PageQuery } from '@slipway/contract/pages'
import { type Project, ProjectSettings } from '@slipway/contract/projects'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { type Pool, statement } from '../../db/statement.ts'
import type { Tables } from '../../db/tables.ts'
import { type Caller, may } from '../access/caller.ts'
import { startOf, toPage } from '../page.ts'

export type ProjectRow = Selectable<Tables['project']>
/** What is shown with a project of its deployments. */
type Summary = {
  active: { id: string; number: number; since: string | null; urls: string[] } | null
  latest: { id: string; number: number; status: DeploymentStatus } | null
}
export type ShownRow = Omit<ProjectRow, 'orgId' | 'gitCredential'> & { summary: Summary }

/** Two looks into an index for each row: neither counts with how many deployments there are. */
const SUMMARY = `json_build_object(
  'active', (select json_build_object('id', d.id, 'number', d.number, 'urls', d.urls,
      'since', coalesce(d.activated_at, d.finished_at))
    from deployment d where d.project_id = project.id and d.active),
  'latest', (select json_build_object('id', d.id, 'number', d.number, 'status', d.status)
    from deployment d where d.project_id = project.id order by d.id desc limit 1))`
const summary = sql.raw<Summary>(SUMMARY).as('summary')

/** Every query names the organization and, for a token that is restricted to one project, that project. */
export type ProjectScope = Pick<Caller, 'orgId' | 'projectId'>
type Viewer = ProjectScope & Pick<Caller, 'role' | 'scopes'>

const COLUMNS = `id, name, repository, branch, git_credential_shown as "gitCredentialShown",
  server_id as "serverId", settings, auto_deploy_paused as "autoDeployPaused", githost_problem as "githostProblem", version,
  created_at as "createdAt", updated_at as "updatedAt", target, ${SUMMARY} as summary`

const findShown = statement<ShownRow>(
  'project.find',
  `select ${COLUMNS} from project where id = $2 and org_id = $1 and ($3::text is null or id = $3)`,
)
const listShown = statement<ShownRow>(
  'project.list',
  `select ${COLUMNS} from project where org_id = $1 and id < $2 order by id desc limit $3`,
)
const listNamed = statement<ShownRow>(
  'project.list-named',
  `select ${COLUMNS} from project
   where org_id = $1 and lower(name) = lower($2) and ($3::text is null or id = $3)`,
)

export async function show(pool: Pool, caller: Viewer, id: string): Promise<Project | undefined> {
  const [row] = await findShown(pool, [caller.orgId, id, caller.projectId])
  return row && shape(row, caller)
}

export async function list(
  pool: Pool,
  caller: Viewer,
  query: PageQuery & { name?: string | undefined },
): Promise<Page<Project>> {
  if (caller.projectId !== null && query.name === undefined) {
    const only = await show(pool, caller, caller.projectId)
    return { data: only ? [only] : [], nextCursor: null }
  }
  const rows =
    query.name === undefined
      ? await listShown(pool, [caller.orgId, startOf(query), query.limit + 1])
      : await listNamed(pool, [caller.orgId, query.name.trim(), caller.projectId])
  return toPage(
    rows,
    query,
    (row) => row.id,
    (row) => shape(row, caller),
  )
}

const scoped = (db: Queryable, scope: ProjectScope) => {
  const rows = db.selectFrom('project').selectAll().where('orgId', '=', scope.orgId)
  return scope.projectId === null ? rows : rows.where('id', '=', scope.projectId)
}

export const find = (db: Queryable, scope: ProjectScope, id: string) =>
  scoped(db, scope).where('id', '=', id).executeTakeFirst()

/** With what is shown of its deployments. */
export const findToShow = (db: Queryable, scope: ProjectScope, id: string) =>
  scoped(db, scope).select(summary).where('id', '=', id).executeTakeFirst()

export const findByName = (db: Queryable, scope: ProjectScope, name: string) =>
  scoped(db, scope).select(summary).where(sql<string>`lower(name)`, '=', sql<string>`lower(${name})`).executeTakeFirst()

export const findByRepository = (db: Queryable, scope: ProjectScope, repository: string) =>
  scoped(db, scope).select(summary).where('repository', '=', repository).orderBy('id').limit(1).executeTakeFirst()

/** Nothing comes back when the name is taken: two callers who make it at once do not both succeed. */
export const insert = (db: Queryable, project: Insertable<Tables['project']>) =>
  db
    .insertInto('project')
    .values(project)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .returning(summary)
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
    .returning(summary)
    .executeTakeFirst()

export async function remove(db: Queryable, scope: ProjectScope, id: string): Promise<void> {
  await db.deleteFrom('project').where('orgId', '=', scope.orgId).where('id', '=', id).execute()
}

const DEFAULTS = ProjectSettings.parse({})

export function shape(row: ShownRow, caller: Viewer): Project {
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
    ...(may(caller, 'deployment:list') && deploymentsOf(row.summary)),
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

const deploymentsOf = ({ active, latest }: Summary): Pick<Project, 'active' | 'latest' | 'urls'> => ({
  active: active && {
    id: active.id,
    number: active.number,
    since: active.since === null ? null : new Date(active.since).toISOString(),
  },
  latest,
  urls: active?.urls ?? [],
})

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
