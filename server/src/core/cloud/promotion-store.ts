import type { DeploymentError } from '@slipway/contract/deployment-shape'
import type { DnsChange } from '@slipway/contract/promotion'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'

export type PromotionRow = Selectable<Tables['promotion']>
type Ended = { state: Exclude<PromotionRow['state'], 'running'>; error: DeploymentError | null }

/** False where one of the project is running. */
export async function insert(db: Queryable, row: Insertable<Tables['promotion']>): Promise<boolean> {
  const made = await db
    .insertInto('promotion')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

export const find = (db: Queryable, orgId: string, id: string): Promise<PromotionRow | undefined> =>
  db.selectFrom('promotion').selectAll().where('orgId', '=', orgId).where('id', '=', id).executeTakeFirst()

/** Of a run that is under way. */
export async function load(db: Queryable, orgId: string, id: string): Promise<PromotionRow> {
  const row = await find(db, orgId, id)
  if (!row) throw new Error(`There is no promotion ${id}.`)
  return row
}

export const newest = (db: Queryable, orgId: string, projectId: string): Promise<PromotionRow | undefined> =>
  db
    .selectFrom('promotion')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('projectId', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

const MOST_NAMED = 10

/** Projects of the organization that are on their way. */
export async function namesOfRunning(db: Queryable, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('promotion')
    .innerJoin('project', 'project.id', 'promotion.projectId')
    .select('project.name')
    .where('promotion.orgId', '=', orgId)
    .where('promotion.state', '=', 'running')
    .orderBy('promotion.id')
    .limit(MOST_NAMED)
    .execute()
  return rows.map(({ name }) => name)
}

const one = (db: Queryable, orgId: string, id: string) =>
  db.updateTable('promotion').where('orgId', '=', orgId).where('id', '=', id)

export async function setStep(db: Queryable, orgId: string, id: string, step: string): Promise<void> {
  await one(db, orgId, id).set({ step }).execute()
}

/** By name: what came from here, and goes there when it goes here. */
export async function setSent(db: Queryable, orgId: string, id: string, sent: string[]): Promise<void> {
  await one(db, orgId, id)
    .set({ sent: JSON.stringify(sent) })
    .execute()
}

/** What the newest promotion of a project that got so far has sent. */
export async function lastSent(db: Queryable, orgId: string, projectId: string): Promise<string[]> {
  const row = await db
    .selectFrom('promotion')
    .select('sent')
    .where('orgId', '=', orgId)
    .where('projectId', '=', projectId)
    .where('sent', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.sent ?? []
}

export async function setDns(db: Queryable, orgId: string, id: string, dns: DnsChange[]): Promise<void> {
  await one(db, orgId, id)
    .set({ dns: JSON.stringify(dns) })
    .execute()
}

export async function setThere(db: Queryable, orgId: string, id: string): Promise<void> {
  await one(db, orgId, id).set({ there: true }).execute()
}

export async function end(db: Queryable, orgId: string, id: string, { state, error }: Ended): Promise<void> {
  const finishedAt = sql<Date>`now()` as never
  await one(db, orgId, id)
    .set({ state, error: error && JSON.stringify(error), finishedAt })
    .execute()
}

/** The cloud has the project from now on, or is about to. */
export async function setCloudProject(
  db: Queryable,
  { orgId, projectId, cloudOrgId }: Pick<PromotionRow, 'orgId' | 'projectId' | 'cloudOrgId'>,
): Promise<void> {
  await ofProject(db, orgId, projectId).set({ cloudProjectId: projectId, cloudOrgId }).execute()
}

export async function setTarget(db: Queryable, orgId: string, projectId: string): Promise<void> {
  await ofProject(db, orgId, projectId).set({ target: 'cloud', version: sql`version + 1` }).execute()
}

/**
 * The cloud has nothing of the project any more. Of deployments that were made from here is told what was seen last; those that were made
 * there are gone.
 */
export async function forgetThere(db: Queryable, orgId: string, projectId: string): Promise<void> {
  await ofProject(db, orgId, projectId)
    .set({ target: 'server', cloudProjectId: null, cloudOrgId: null, version: sql`version + 1` })
    .execute()
  await db
    .updateTable('promotion')
    .set({ there: false, sent: null })
    .where('orgId', '=', orgId)
    .where('projectId', '=', projectId)
    .execute()
  await sql`
    delete from cloud_deployment d where d.org_id = ${orgId} and d.project_id = ${projectId}
      and not exists (select 1 from promotion p where p.id = d.id)`.execute(db)
  await sql`
    update cloud_deployment set shown = jsonb_set(shown, '{active}', 'false')
    where org_id = ${orgId} and project_id = ${projectId} and active`.execute(db)
}

const ofProject = (db: Queryable, orgId: string, projectId: string) =>
  db.updateTable('project').where('orgId', '=', orgId).where('id', '=', projectId)
