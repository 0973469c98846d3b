import type { DeploymentStatus } from '@slipway/contract/deployment-states'
import type { PageQuery } from '@slipway/contract/pages'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Tables } from '../../../db/tables.ts'
import { startOf } from '../../page.ts'
import type { ProjectScope } from '../../projects/store.ts'

export type StoredStep = { name: string; startedAt: string; finishedAt: string | null }
export type DeploymentRow = Selectable<Tables['deployment']> & {
  steps: StoredStep[]
  /** The engine that answered last at the address of its server. */
  serverEngine: string | null
  serverName: string | null
  projectName: string
  /** The numbers of those that it names, as far as they are there. */
  others: { id: string; number: number }[]
}

/**
 * For queries that name a project: written so that no index fits. The index of the project finds its rows alone; PostgreSQL
 * does not know that all of them are of one organization, and would read that one's as well to see which are in both.
 */
export const isOfOrg = (orgId: string) => sql<boolean>`deployment.org_id || '' = ${orgId}`

/** A deployment with the steps of its run, as the journal has them. */
const select = (db: Queryable, { orgId, projectId }: ProjectScope) => {
  const rows = db
    .selectFrom('deployment')
    .selectAll('deployment')
    .select([
      sql<StoredStep[]>`coalesce((
        select json_agg(json_build_object('name', s.name, 'startedAt', s.started_at, 'finishedAt', s.ended_at)
          order by s.started_at) from run_step s where s.run_id = deployment.id), '[]')`.as('steps'),
      sql<string | null>`(select s.engine_id from server s where s.id = deployment.server_id)`.as('serverEngine'),
      sql<string | null>`(select s.name from server s where s.id = deployment.server_id)`.as('serverName'),
      sql<string>`(select p.name from project p where p.id = deployment.project_id)`.as('projectName'),
      sql<DeploymentRow['others']>`coalesce((
        select json_agg(json_build_object('id', o.id, 'number', o.number)) from deployment o
        where o.id = any(array[deployment.took_over, deployment.superseded_by, deployment.request ->> 'rollbackOf'])
          and o.org_id = deployment.org_id), '[]')`.as('others'),
    ])
  return projectId === null
    ? rows.where('deployment.orgId', '=', orgId)
    : rows.where('deployment.projectId', '=', projectId).where(isOfOrg(orgId))
}

export const find = (db: Queryable, scope: ProjectScope, id: string): Promise<DeploymentRow | undefined> =>
  select(db, scope).where('deployment.id', '=', id).executeTakeFirst()

export type ListQuery = PageQuery & {
  projectId?: string | undefined
  /** One or several, separated by commas. */
  status?: string | undefined
  trigger?: DeploymentRow['trigger'] | undefined
  /** The name of who began it. */
  by?: string | undefined
  branch?: string | undefined
  number?: number | undefined
  active?: 'true' | undefined
  /** Separated by commas. */
  ids?: string | undefined
}

/** One row more than the page holds. */
export function list(db: Queryable, scope: ProjectScope, query: ListQuery): Promise<DeploymentRow[]> {
  const within = { ...scope, projectId: scope.projectId ?? query.projectId ?? null }
  let rows = select(db, within)
    .where('deployment.id', '<', startOf(query))
    .orderBy('deployment.id', 'desc')
    .limit(query.limit + 1)
  // Whoever may see one project and asks for another sees nothing.
  if (query.projectId !== undefined && scope.projectId !== null)
    rows = rows.where('deployment.projectId', '=', query.projectId)
  const states = statesIn(query)
  if (states.length > 0) rows = rows.where('deployment.status', 'in', states)
  // No index has several states in one order: the newest of each are found by its own.
  if (states.length > 1 && within.projectId === null && isOnlyByState(query))
    rows = rows.where('deployment.id', 'in', newestOfEach(scope.orgId, states, query))
  if (query.trigger !== undefined) rows = rows.where('deployment.trigger', '=', query.trigger)
  if (query.by !== undefined) rows = rows.where(sql<string>`deployment.created_by ->> 'name'`, '=', query.by)
  if (query.number !== undefined) rows = rows.where('deployment.number', '=', query.number)
  if (query.active !== undefined) rows = rows.where('deployment.active', '=', true)
  if (query.branch !== undefined) rows = rows.where('deployment.branch', '=', query.branch)
  if (query.ids !== undefined) rows = rows.where('deployment.id', 'in', query.ids.split(','))
  return rows.execute()
}

export const statesIn = ({ status }: Pick<ListQuery, 'status'>) => (status?.split(',') ?? []) as DeploymentStatus[]

/** What else is asked for may be found among older ones alone. */
const isOnlyByState = ({ number, active, branch, ids, trigger, by }: ListQuery) =>
  [number, active, branch, ids, trigger, by].every((one) => one === undefined)

function newestOfEach(orgId: string, states: DeploymentStatus[], query: ListQuery) {
  const newest = [...new Set(states)].map(
    (state) => sql`(select id from deployment where org_id = ${orgId} and status = ${state} and id < ${startOf(query)}
      order by id desc limit ${query.limit + 1})`,
  )
  return sql<string>`(${sql.join(newest, sql` union all `)})`
}

/** Numbers count up per project; the row's lock keeps two callers from getting the same. */
export async function nextNumber(db: Queryable, projectId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    update project set last_number = last_number + 1 where id = ${projectId} returning last_number as n`.execute(db)
  return rows[0]?.n ?? 0
}

export async function insert(db: Queryable, deployment: Insertable<Tables['deployment']>): Promise<void> {
  await db.insertInto('deployment').values(deployment).execute()
}

export async function update(db: Queryable, id: string, changes: Updateable<Tables['deployment']>): Promise<void> {
  await db.updateTable('deployment').set(changes).where('id', '=', id).execute()
}

/** Makes this the project's release and the one before it a former one, in the transaction that ends the run. */
export async function activate(db: Queryable, projectId: string, id: string): Promise<void> {
  await db
    .updateTable('deployment')
    .set({ active: false })
    .where('projectId', '=', projectId)
    .where('active', '=', true)
    .execute()
  const since = { active: true, activatedAt: new Date() }
  await db.updateTable('deployment').set(since).where('id', '=', id).execute()
}

export const findActive = (db: Queryable, projectId: string) =>
  db
    .selectFrom('deployment')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('active', '=', true)
    .executeTakeFirst()

/** Another one when a variable of the project, or the release that runs, is another one. */
export async function secretsStamp(db: Queryable, { orgId, projectId }: { orgId: string; projectId: string }) {
  const { rows } = await sql<{ stamp: string }>`
    select concat_ws(' ',
      (select concat_ws(' ', count(*), max(updated_at)) from variable
        where project_id = ${projectId} and org_id = ${orgId}),
      (select id from deployment where project_id = ${projectId} and org_id = ${orgId} and active)) as stamp`.execute(
    db,
  )
  return rows[0]?.stamp ?? ''
}

/** Which of these there still are, each in the organization that is named beside it. */
export async function stillThere(db: Queryable, asked: { id: string; orgId: string }[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from unnest(${asked.map(({ id }) => id)}::text[], ${asked.map(({ orgId }) => orgId)}::text[])
      as asked (id, org_id)
    join deployment d on d.id = asked.id and d.org_id = asked.org_id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Which deployments serve for these projects. */
export async function activeIds(
  db: Queryable,
  projects: { id: string; orgId: string }[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; project: string }>`
    select d.id, d.project_id as project
    from unnest(${projects.map(({ id }) => id)}::text[], ${projects.map(({ orgId }) => orgId)}::text[]) as asked (id, org_id)
    join deployment d on d.project_id = asked.id and d.org_id = asked.org_id and d.active`.execute(db)
  return new Map(rows.map(({ id, project }) => [project, id]))
}

/** For what has checked already that it is there. */
export const load = (db: Queryable, orgId: string, id: string) =>
  db.selectFrom('deployment').selectAll().where('orgId', '=', orgId).where('id', '=', id).executeTakeFirstOrThrow()

export async function remove(db: Queryable, orgId: string, id: string): Promise<void> {
  await db.deleteFrom('deployment').where('orgId', '=', orgId).where('id', '=', id).execute()
  await sql`delete from run_step where run_id = ${id}`.execute(db)
  await sql`delete from run where id = ${id}`.execute(db)
}

/** The runs of a project's deployments, before those go with it. */
export async function removeRuns(db: Queryable, orgId: string, projectId: string): Promise<void> {
  await sql`
    delete from run using deployment d
    where d.project_id = ${projectId} and d.org_id = ${orgId} and run.id = d.id`.execute(db)
}

export async function countPinned(db: Queryable, projectId: string): Promise<number> {
  const { n } = await db
    .selectFrom('deployment')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('projectId', '=', projectId)
    .where('pinned', '=', true)
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** The newest releases of a project, the active one first, whatever is said of it: what the rollback window is counted in. */
export const releases = (db: Queryable, projectId: string, limit: number) =>
  db
    .selectFrom('deployment')
    .select(['id', 'images', 'pinned', 'active', 'release'])
    .where('projectId', '=', projectId)
    .where((eb) => eb.or([eb('status', '=', 'ready'), eb('decision', '=', 'kept'), eb('active', '=', true)]))
    .orderBy('active', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Whether an image was part of a release that the project has run. */
export async function hasHad(db: Queryable, projectId: string, image: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from deployment where project_id = ${projectId} and images @> array[${image}]::text[]
      and (status = 'ready' or decision = 'kept' or active) limit 1`.execute(db)
  return rows.length > 0
}

/** Deployments of the project that have not ended, and those that they go back to. */
export async function openOnes(db: Queryable, projectId: string): Promise<{ id: string; images: string[] }[]> {
  const { rows } = await sql<{ id: string; images: string[] }>`
    with open as (select id, request from deployment
      where project_id = ${projectId} and (status in ('queued', 'building', 'deploying')
        or (status = 'partial_failure' and finished_at is null)))
    select id, images from deployment where project_id = ${projectId} and (
      id in (select id from open) or id in (select request ->> 'rollbackOf' from open))`.execute(db)
  return rows
}

/** After someone went back, the next push must not undo it. */
export async function pauseAutoDeploy(db: Queryable, projectId: string): Promise<void> {
  await sql`update project set auto_deploy_paused = true where id = ${projectId}`.execute(db)
}
