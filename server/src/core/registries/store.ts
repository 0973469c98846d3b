import type { Page, PageQuery } from '@slipway/contract/pages'
import type { Registry } from '@slipway/contract/registries'
import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import { startOf, toPage } from '../page.ts'

export type RegistryRow = Selectable<Tables['registry']>

export async function list(db: Queryable, orgId: string, query: PageQuery): Promise<Page<Registry>> {
  const rows = await db
    .selectFrom('registry')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '<', startOf(query))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return toPage(rows, query, (row) => row.id, shape)
}

export const find = (db: Queryable, orgId: string, id: string) =>
  db.selectFrom('registry').selectAll().where('orgId', '=', orgId).where('id', '=', id).executeTakeFirst()

/** Every one of an organization: whoever fetches an image must know those of other projects too, to keep off them. */
export const allOf = (db: Queryable, orgId: string, most: number): Promise<RegistryRow[]> =>
  db.selectFrom('registry').selectAll().where('orgId', '=', orgId).orderBy('id').limit(most).execute()

export async function count(db: Queryable, orgId: string): Promise<number> {
  const { n } = await db
    .selectFrom('registry')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('orgId', '=', orgId)
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Undefined where one with the same reach is there. */
export const insert = (db: Queryable, row: Insertable<Tables['registry']>) =>
  db
    .insertInto('registry')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

export async function hasReach(
  db: Queryable,
  { orgId, projectId, host, path }: Pick<RegistryRow, 'orgId' | 'projectId' | 'host' | 'path'>,
  except: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('registry')
    .select('id')
    .where('orgId', '=', orgId)
    .where('host', '=', host)
    .where('projectId', 'is not distinct from', projectId)
    .where('path', 'is not distinct from', path)
    .where('id', '<>', except)
    .executeTakeFirst()
  return row !== undefined
}

export const update = (
  db: Queryable,
  orgId: string,
  id: string,
  ifMatch: number | null,
  changes: UpdateObject<Tables, 'registry'>,
) =>
  db
    .updateTable('registry')
    .set({ ...changes, version: sql`version + 1`, updatedAt: sql`now()` })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where((eb) => (ifMatch === null ? eb.lit(true) : eb('version', '=', ifMatch)))
    .returningAll()
    .executeTakeFirst()

/** What was found is about the password that was tried: it is dropped when that was changed meanwhile. */
export async function saveFound(db: Queryable, row: RegistryRow, error: string | null): Promise<void> {
  await db
    .updateTable('registry')
    .set({ lastCheckedAt: sql`now()`, lastCheckError: error })
    .where('orgId', '=', row.orgId)
    .where('id', '=', row.id)
    .where('username', '=', row.username)
    .where('password', '=', row.password)
    .execute()
}

export async function remove(db: Queryable, orgId: string, id: string): Promise<void> {
  await db.deleteFrom('registry').where('orgId', '=', orgId).where('id', '=', id).execute()
}

/** Changes of an organization's credentials follow one another. */
export async function takeTurn(db: Queryable, orgId: string): Promise<void> {
  await db.selectFrom('organization').select('id').where('id', '=', orgId).forNoKeyUpdate().execute()
}

export const shape = (row: RegistryRow): Registry => ({
  id: row.id,
  host: row.host,
  path: row.path,
  username: row.username,
  projectId: row.projectId,
  lastCheckedAt: row.lastCheckedAt?.toISOString() ?? null,
  lastCheckError: row.lastCheckError,
  version: row.version,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
