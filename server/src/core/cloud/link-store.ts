import { type Insertable, sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'

export const placeOf = (orgId: string) => `cloud_link/${orgId}/credential`

export const find = (db: Queryable, orgId: string) =>
  db.selectFrom('cloudLink').selectAll().where('orgId', '=', orgId).executeTakeFirst()

/** With the name of who linked it, as long as there is such a person. */
export const findShown = (db: Queryable, orgId: string) =>
  db
    .selectFrom('cloudLink')
    .leftJoin('person', 'person.id', 'cloudLink.linkedBy')
    .selectAll('cloudLink')
    .select('person.name as linkedByName')
    .select(sql<boolean>`coalesce(cloud_link.relay_until > now(), false)`.as('isFollowed'))
    .where('cloudLink.orgId', '=', orgId)
    .executeTakeFirst()
export type ShownLink = NonNullable<Awaited<ReturnType<typeof findShown>>>

/** None where the organization is linked already. */
export const insert = (db: Queryable, row: Insertable<Tables['cloudLink']>) =>
  db
    .insertInto('cloudLink')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export const remove = (db: Queryable, orgId: string, linkId: string) =>
  db.deleteFrom('cloudLink').where('orgId', '=', orgId).where('linkId', '=', linkId).returningAll().executeTakeFirst()
