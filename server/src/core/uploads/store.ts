import { type Insertable, sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { StoredFile, Tables } from '../../db/tables.ts'
import { shownFor } from './blobs-store.ts'

/** Whose sessions: of an organization, and for a caller that is restricted to a project only those made for it. */
export type Scope = { orgId: string; projectId: string | null }

export type SessionRow = {
  id: string
  mode: 'local' | 'cloud'
  fileCount: number
  byteCount: string
  sealedAt: Date | null
  expiresAt: Date
  expired: boolean
}

/** Never the files: they can be megabytes and most questions do not need them. */
const select = (db: Queryable, scope: Scope, id: string) => {
  const row = db
    .selectFrom('folderSession')
    .select(['id', 'mode', 'fileCount', 'byteCount', 'sealedAt', 'expiresAt'])
    .select(sql<boolean>`expires_at <= now()`.as('expired'))
    .where('orgId', '=', scope.orgId)
    .where('id', '=', id)
  return scope.projectId === null ? row : row.where('projectId', '=', scope.projectId)
}

export const find = (db: Queryable, scope: Scope, id: string): Promise<SessionRow | undefined> =>
  select(db, scope, id).executeTakeFirst()

/** With whether this content is there for the caller: what every content that arrives must ask first. */
export const findFor = (db: Queryable, scope: Scope, id: string, hash: string) =>
  select(db, scope, id)
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('blob')
          .select('size')
          .where('orgId', '=', scope.orgId)
          .where('sha256', '=', Buffer.from(hash, 'hex'))
          .where(shownFor(scope)),
      ).as('stored'),
    )
    .executeTakeFirst()

export const lock = (db: Queryable, scope: Scope, id: string): Promise<SessionRow | undefined> =>
  select(db, scope, id).forUpdate().executeTakeFirst()

/** Whether it takes contents, and does so until the transaction ends. */
export const holdOpen = async (db: Queryable, scope: Scope, id: string): Promise<boolean> => {
  const open = select(db, scope, id).where('sealedAt', 'is', null).where('expiresAt', '>', sql<Date>`now()`)
  return (await open.forKeyShare().executeTakeFirst()) !== undefined
}

/** By the database's clock, as whoever looks whether it has come: that of a process may be another. */
const hoursFromNow = (hours: number) => sql<Date>`now() + make_interval(hours => ${hours})`

type NewSession = Omit<Insertable<Tables['folderSession']>, 'expiresAt'>

/** Returns until when it is kept. */
export async function insert(db: Queryable, session: NewSession, hours: number): Promise<Date> {
  const { expiresAt } = await db
    .insertInto('folderSession')
    .values({ ...session, expiresAt: hoursFromNow(hours) })
    .returning('expiresAt')
    .executeTakeFirstOrThrow()
  // From now on the organization has contents that may lose their use in ways that nobody announces, such as the
  // removal of a project: it is looked at daily.
  await sql`
    insert into blob_sweep (org_id, due_at) values (${session.orgId}, now() + interval '1 day')
    on conflict (org_id) do nothing`.execute(db)
  return expiresAt
}

export const setSealed = (db: Queryable, orgId: string, id: string, hours: number) =>
  db
    .updateTable('folderSession')
    .set({ sealedAt: sql<Date>`now()`, expiresAt: hoursFromNow(hours) })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .returning(['sealedAt', 'expiresAt'])
    .executeTakeFirstOrThrow()

export async function filesOf(db: Queryable, orgId: string, id: string): Promise<StoredFile[]> {
  const row = await db
    .selectFrom('folderSession')
    .select('files')
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.files ?? []
}

/** Deletes sessions an hour past their end (until then they can still say so) and notes whose contents to look at. */
export async function deleteExpired(db: Queryable, limit: number): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    with gone as (
      delete from folder_session where id in (
        select id from folder_session where expires_at < now() - interval '1 hour'
        order by expires_at limit ${limit} for update skip locked)
      returning org_id),
    noted as (
      insert into blob_sweep (org_id, due_at) select distinct org_id, now() from gone order by org_id
      on conflict (org_id) do update set due_at = least(blob_sweep.due_at, excluded.due_at))
    select count(*) from gone`.execute(db)
  return Number(rows[0]?.count ?? 0)
}
