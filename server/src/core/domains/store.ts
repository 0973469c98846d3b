import type { Insertable } from 'kysely'
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

/** Every name that leads to an active release on this server. */
export const onServer = (db: Queryable, serverId: string) =>
  db
    .selectFrom('hostName')
    .innerJoin('deployment', (join) =>
      join.onRef('deployment.projectId', '=', 'hostName.projectId').on('deployment.active', '=', true),
    )
    .select([
      'hostName.host',
      'hostName.pathPrefix',
      'hostName.projectId as project',
      'hostName.service',
      'hostName.port',
    ])
    .where('deployment.serverId', '=', serverId)
    .execute()

export async function setPort(db: Queryable, projectId: string, service: string, port: number): Promise<void> {
  await db
    .updateTable('hostName')
    .set({ port })
    .where('projectId', '=', projectId)
    .where('service', '=', service)
    .where('port', '=', 0)
    .execute()
}
