import { type Insertable, type Selectable, sql } from 'kysely'
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
export async function insert(db: Queryable, row: Insertable<Tables['cloudLink']>) {
  const link = await db
    .insertInto('cloudLink')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (link) await remember(db, link)
  return link
}

/** Under which name and where it was last. */
async function remember(
  db: Queryable,
  { orgId, cloudOrgId, cloudOrgName: name, url }: Selectable<Tables['cloudLink']>,
) {
  await db
    .insertInto('cloudOrganization')
    .values({ orgId, cloudOrgId, name, url })
    .onConflict((conflict) => conflict.columns(['orgId', 'cloudOrgId']).doUpdateSet({ name, url }))
    .execute()
}

/** One that the organization is or was linked to. */
export const findOrganization = (db: Queryable, orgId: string, cloudOrgId: string) =>
  db
    .selectFrom('cloudOrganization')
    .select(['name', 'url'])
    .where('orgId', '=', orgId)
    .where('cloudOrgId', '=', cloudOrgId)
    .executeTakeFirst()

export const remove = (db: Queryable, orgId: string, linkId: string) =>
  db.deleteFrom('cloudLink').where('orgId', '=', orgId).where('linkId', '=', linkId).returningAll().executeTakeFirst()
