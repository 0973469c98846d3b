import type { Insertable } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'

export const placeOf = (orgId: string) => `cloud_link/${orgId}/credential`

export const find = (db: Queryable, orgId: string) =>
  db.selectFrom('cloudLink').selectAll().where('orgId', '=', orgId).executeTakeFirst()

/** None where the organization is linked already. */
export const insert = (db: Queryable, row: Insertable<Tables['cloudLink']>) =>
  db
    .insertInto('cloudLink')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const remove = (db: Queryable, orgId: string) =>
  db.deleteFrom('cloudLink').where('orgId', '=', orgId).returningAll().executeTakeFirst()
