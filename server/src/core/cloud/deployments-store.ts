import type { Deployment } from '@slipway/contract/deployment-shape'
import type { PromotionState } from '@slipway/contract/promotion'
import { type Selectable, sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { type Pool, statement } from '../../db/statement.ts'
import type { Tables } from '../../db/tables.ts'
import { type TokenRow, tokenQuery } from '../access/store.ts'
import { type ListQuery, statesIn } from '../deployments/rows/store.ts'
import { startOf } from '../page.ts'
import type { ProjectScope } from '../projects/store.ts'

export type CloudDeploymentRow = Selectable<Tables['cloudDeployment']> & { projectName: string }
/**
 * Where a deployment is; url and credential are null where the organization is not linked to that any more. `promotion`: of the one that makes or
 * has made it, how that stands; null where it was made there.
 */
export type Stub = {
  id: string
  projectId: string
  url: string | null
  credential: string | null
  /** The organization of a cloud that has it. */
  cloudOrgId: string | null
  promotion: PromotionState | null
  /** Whether the cloud knows it. */
  there: boolean
}

/** With the organization of a cloud that has it: another one knows nothing of it, and says so as of one that was deleted. */
const LINK_OF_STUB = 'l.org_id = d.org_id and l.cloud_org_id = coalesce(d.cloud_org_id, l.cloud_org_id)'

const findStub = statement<Stub>(
  'cloud_deployment.find',
  `select d.id, d.project_id as "projectId", l.url, l.credential, d.cloud_org_id as "cloudOrgId", p.state as promotion, coalesce(p.there, true) as there
   from cloud_deployment d left join cloud_link l on ${LINK_OF_STUB}
   left join promotion p on p.id = d.id and p.org_id = d.org_id
   where d.id = $2 and d.org_id = $1 and ($3::text is null or d.project_id = $3)`,
)

export const find = async (pool: Pool, { orgId, projectId }: ProjectScope, id: string): Promise<Stub | undefined> =>
  (await findStub(pool, [orgId, id, projectId]))[0]

type Together = TokenRow & {
  stub_id: string | null
  stub_project: string
} & Pick<Stub, 'url' | 'credential' | 'cloudOrgId' | 'promotion' | 'there'>

const findTogether = statement<Together>(
  'token.authenticate_for_deployment',
  tokenQuery({
    columns: `, d.id as stub_id, d.project_id as stub_project, l.url, l.credential,
      d.cloud_org_id as "cloudOrgId", pr.state as promotion,
      coalesce(pr.there, true) as there`,
    joins: `left join cloud_deployment d
       on d.id = $2 and d.org_id = t.org_id and (t.project_id is null or d.project_id = t.project_id)
     left join cloud_link l on ${LINK_OF_STUB}
     left join promotion pr on pr.id = d.id and pr.org_id = d.org_id`,
  }),
)

/** A token, and what the one it belongs to would find by `find`: one query, because every call of a deployment needs both. */
export async function findWithToken(pool: Pool, hash: Buffer, id: string) {
  const [token] = await findTogether(pool, [hash, id])
  if (!token) return undefined
  const { stub_id: found, stub_project: projectId, url, credential, cloudOrgId, promotion, there } = token
  const stub: Stub | undefined =
    found === null ? undefined : { id: found, projectId, url, credential, cloudOrgId, promotion, there }
  return { token, stub }
}

/**
 * As deployments that are here are listed, by what was seen of them last: one row more than the page holds. A cursor that cannot be read
 * rejects, and never throws: both lists are begun before either is waited for.
 */
export async function list(db: Queryable, scope: ProjectScope, query: ListQuery): Promise<CloudDeploymentRow[]> {
  let rows = db
    .selectFrom('cloudDeployment')
    .selectAll()
    .select(sql<string>`(select p.name from project p where p.id = cloud_deployment.project_id)`.as('projectName'))
    .where('orgId', '=', scope.orgId)
    .where('id', '<', startOf(query))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
  if (scope.projectId !== null) rows = rows.where('projectId', '=', scope.projectId)
  if (query.projectId !== undefined) rows = rows.where('projectId', '=', query.projectId)
  if (query.status !== undefined) rows = rows.where('status', 'in', statesIn(query))
  if (query.trigger !== undefined) rows = rows.where(sql<string>`shown ->> 'trigger'`, '=', query.trigger)
  if (query.by !== undefined) rows = rows.where(sql<string>`shown #>> '{createdBy,name}'`, '=', query.by)
  if (query.number !== undefined) rows = rows.where('number', '=', query.number)
  if (query.active !== undefined) rows = rows.where('active', '=', true)
  if (query.branch !== undefined) rows = rows.where('branch', '=', query.branch)
  if (query.ids !== undefined) rows = rows.where('id', 'in', query.ids.split(','))
  return rows.execute()
}

/** Those whose state may be another one by now: they have not ended, or serve. The newest so many. */
export async function listOpen(db: Queryable, scope: ProjectScope, query: ListQuery, most: number) {
  let rows = db
    .selectFrom('cloudDeployment')
    .select(['id', 'cloudOrgId'])
    .where('orgId', '=', scope.orgId)
    .where(sql<boolean>`(active or (shown #>> '{timing,finishedAt}') is null)`)
    .orderBy('id', 'desc')
    .limit(most)
  if (scope.projectId !== null) rows = rows.where('projectId', '=', scope.projectId)
  if (query.projectId !== undefined) rows = rows.where('projectId', '=', query.projectId)
  if (query.ids !== undefined) rows = rows.where('id', 'in', query.ids.split(','))
  return rows.execute()
}

export const load = (db: Queryable, orgId: string, id: string) =>
  db.selectFrom('cloudDeployment').selectAll().where('orgId', '=', orgId).where('id', '=', id).executeTakeFirstOrThrow()

/** The number that the cloud gives the next one, unless it makes some on its own. */
export async function nextNumber(db: Queryable, orgId: string, projectId: string): Promise<number> {
  const last = await db
    .selectFrom('cloudDeployment')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('orgId', '=', orgId)
    .where('projectId', '=', projectId)
    .executeTakeFirst()
  return (last?.number ?? 0) + 1
}

type NewStubs = { orgId: string; projectId: string; cloudOrgId?: string; shown: Deployment[] }

/**
 * Unless said otherwise they are with the organization of the cloud that has their project. What is here is answered here, whatever a cloud
 * calls its own.
 */
export async function insert(db: Queryable, { orgId, projectId, cloudOrgId, shown }: NewStubs): Promise<void> {
  await sql`
    insert into cloud_deployment (id, org_id, project_id, cloud_org_id, shown)
    select value ->> 'id', ${orgId}, ${projectId},
      coalesce(${cloudOrgId ?? null}, (select p.cloud_org_id from project p where p.id = ${projectId} and p.org_id = ${orgId})), value
    from jsonb_array_elements(${JSON.stringify(shown)}::jsonb)
    where not exists (select 1 from deployment d where d.id = value ->> 'id')
    on conflict do nothing`.execute(db)
}

/** What was seen just now. What is as before is written once a minute at most. */
export async function see(db: Queryable, orgId: string, seen: Deployment[]): Promise<void> {
  await sql`
    update cloud_deployment d set shown = one.shown, seen_at = now()
    from (select value ->> 'id' as id, value as shown from jsonb_array_elements(${JSON.stringify(seen)}::jsonb)) one
    where d.id = one.id and d.org_id = ${orgId}
      and (d.shown <> one.shown or d.seen_at < now() - interval '1 minute')`.execute(db)
}

export async function remove(db: Queryable, orgId: string, id: string): Promise<void> {
  await db.deleteFrom('cloudDeployment').where('id', '=', id).where('orgId', '=', orgId).execute()
}

type Gone = { orgId: string; cloudOrgId: string; ids: string[] }

/** Of those that this organization of a cloud has had, and has no more. One that a promotion makes, or never brought there, is told of here. */
export async function dropGone(db: Queryable, { orgId, cloudOrgId, ids }: Gone): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    delete from cloud_deployment d where d.id = any(${ids}) and d.org_id = ${orgId} and d.cloud_org_id = ${cloudOrgId}
      and not exists (select 1 from promotion p where p.id = d.id and p.org_id = d.org_id and (p.state = 'running' or not p.there))
    returning d.id`.execute(db)
  return rows.map(({ id }) => id)
}
