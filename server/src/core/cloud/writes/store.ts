import { type Selectable, sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import type { Tables } from '../../../db/tables.ts'

type Row = Selectable<Tables['cloudWrite']>
export type Write = Pick<Row, 'id' | 'orgId' | 'projectId' | 'deploymentId'>

/** Before it is sent, so that it is found also by a process that comes after this one. */
export async function begin(db: Queryable, about: Omit<Write, 'id'>): Promise<Write> {
  const write = { ...about, id: newId('req') }
  await db.insertInto('cloudWrite').values(write).execute()
  return write
}

/** It is known what came of it. */
export async function end(db: Queryable, { orgId, id }: Write): Promise<void> {
  await db.deleteFrom('cloudWrite').where('orgId', '=', orgId).where('id', '=', id).execute()
}

/** Nobody waits for its answer any more. */
export async function setLost(db: Queryable, { orgId, id }: Write): Promise<void> {
  await db
    .updateTable('cloudWrite')
    .set({ askAt: sql<Date>`now()` })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .execute()
}

/** `isOver`: whatever was asked has been done there by now, or never will be; `isOld`: nobody remembers it. */
export type DueWrite = Write & { isOver: boolean; isOld: boolean }

/** A lease: nobody else asks about these for a while, and less and less often. */
export async function takeDue(db: Queryable, most: number): Promise<DueWrite[]> {
  const { rows } = await sql<DueWrite>`
    update cloud_write set ask_at = now() + least(greatest((now() - begun_at) / 4, interval '10 seconds'), interval '10 minutes')
    where id in (select id from cloud_write where ask_at <= now() order by ask_at limit ${most} for update skip locked)
    returning id, org_id, project_id, deployment_id,
      begun_at < now() - interval '3 minutes' as is_over, begun_at < now() - interval '30 days' as is_old`.execute(db)
  return rows
}
