import { type Selectable, sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { deleteOld } from '../../../db/delete-old.ts'
import type { Tables } from '../../../db/tables.ts'

export type Report = Selectable<Tables['githostReport']> & {
  project: string | null
  url: string | null
  /** Who cancelled it. */
  cancelledBy: string | null
}

/** While one is being sent, no other process does so. */
const LEASE = sql`interval '60 seconds'`

export async function takeDue(db: Queryable, most: number): Promise<Report[]> {
  const { rows } = await sql<Report>`
    with due as (select deployment_id from githost_report where send_at <= statement_timestamp()
      order by send_at limit ${most} for update skip locked),
    taken as (update githost_report r set send_at = clock_timestamp() + ${LEASE}, attempts = attempts + 1
      from due where r.deployment_id = due.deployment_id returning r.*)
    select t.*, p.name as project, d.urls[1] as url, (select a.actor_name from audit a where a.org_id = t.org_id
      and a.target = t.deployment_id and a.action = 'deployment.cancel' order by a.id desc limit 1) as cancelled_by from taken t
    left join project p on p.id = t.project_id and p.org_id = t.org_id
    left join deployment d on d.id = t.deployment_id`.execute(db)
  return rows
}

/** What has become of it meanwhile is sent next. */
export async function sent(
  db: Queryable,
  { deploymentId, state }: Report,
  hostDeploymentId: number | null,
): Promise<void> {
  await sql`update githost_report set sent_state = ${state}, host_deployment_id = ${hostDeploymentId},
      attempts = case when state = ${state} then attempts else 0 end,
      send_at = case when state = ${state} then null else clock_timestamp() end
    where deployment_id = ${deploymentId}`.execute(db)
}

/** Null: never again, unless something new happens. */
export async function again(db: Queryable, { deploymentId, state }: Report, at: Date | null): Promise<void> {
  await sql`update githost_report set send_at = case when state = ${state} then ${at}::timestamptz else clock_timestamp() end
    where deployment_id = ${deploymentId}`.execute(db)
}

/** Of the same project at the host: what a new one takes the place of. */
export const previous = (db: Queryable, { projectId, deploymentId }: Report) =>
  db
    .selectFrom('githostReport')
    .select('hostDeploymentId')
    .where('projectId', '=', projectId)
    .where('deploymentId', '<', deploymentId)
    .where('sentState', '=', 'success')
    .orderBy('deploymentId', 'desc')
    .limit(1)
    .executeTakeFirst()

export async function sweep(db: Queryable): Promise<void> {
  await deleteOld(db, 'githost_report', sql`updated_at < now() - interval '90 days'`)
}
