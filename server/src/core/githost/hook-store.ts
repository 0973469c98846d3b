import type { Insertable } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'

export const find = (db: Queryable, orgId: string, host: string, repoId: string) =>
  db
    .selectFrom('githostHook')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('host', '=', host)
    .where('repoId', '=', repoId)
    .executeTakeFirst()

export const keep = (db: Queryable, row: Insertable<Tables['githostHook']>) =>
  db
    .insertInto('githostHook')
    .values(row)
    .onConflict((conflict) => conflict.columns(['orgId', 'host', 'repoId']).doUpdateSet({ hookId: row.hookId }))
    .returningAll()
    .executeTakeFirstOrThrow()

export const remove = (db: Queryable, orgId: string, id: string) =>
  db.deleteFrom('githostHook').where('orgId', '=', orgId).where('id', '=', id).execute()

/** When, and by which hook, we were last told of this repository. */
export const lastDelivery = (db: Queryable, orgId: string, repoId: string) =>
  db
    .selectFrom('githostDelivery')
    .select(['receivedAt', 'hookKey'])
    .where('orgId', '=', orgId)
    .where('repoId', '=', repoId)
    .orderBy('receivedAt', 'desc')
    .limit(1)
    .executeTakeFirst()
