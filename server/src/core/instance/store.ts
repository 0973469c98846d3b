import { type Selectable, sql } from 'kysely'
import { type Database, type Queryable, transaction } from '../../db/database.ts'
import type { DatabaseIdentity } from '../../db/identity.ts'
import { newId } from '../../db/ids.ts'
import type { Tables } from '../../db/tables.ts'

export type InstanceRow = Selectable<Tables['instance']>

export const find = (db: Queryable) => db.selectFrom('instance').selectAll().executeTakeFirst()

/** The first to come makes it; everybody else finds it. */
export async function make(db: Queryable, { database, timeline }: DatabaseIdentity): Promise<InstanceRow> {
  await db
    .insertInto('instance')
    .values({ id: newId('ins'), database, timeline })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db.selectFrom('instance').selectAll().executeTakeFirstOrThrow()
}

export async function noteDataDir(db: Queryable): Promise<void> {
  await db.updateTable('instance').set({ dataDirMarked: true }).where('dataDirMarked', '=', false).execute()
}

/** This database is the instance's from now on, wherever it was before. With another id, it is another instance. */
export async function adopt(db: Queryable, { database, timeline }: DatabaseIdentity, id?: string): Promise<void> {
  await db
    .updateTable('instance')
    .set({ database, timeline, ...(id !== undefined && { id, dataDirMarked: false }) })
    .execute()
}

/**
 * The newest transactions may be lost, while engines and files know of what they did: every server is compared with what
 * is written down. Whoever sees it first notes it; the others see it within the same minute.
 */
export function noteWentBack(db: Database, { timeline }: DatabaseIdentity): Promise<boolean> {
  return transaction(db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('instance')
      .set({ wentBackAt: sql<Date>`now()`, ...(timeline !== null && { timeline }) })
      .where(
        sql<boolean>`(timeline is distinct from ${timeline} or coalesce(went_back_at < now() - interval '1 minute', true))`,
      )
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await tx.updateTable('server').set({ compareAt: sql<Date>`now()` }).execute()
    return true
  })
}

/** Which of these names are organizations or projects of ours. */
export async function countKnown(db: Queryable, names: string[]): Promise<number> {
  const { rows } = await sql<{ known: string }>`
    select (select count(*) from organization where id = any(${names}::text[]))
      + (select count(*) from project where id = any(${names}::text[])) as known`.execute(db)
  return Number(rows[0]?.known ?? 0)
}

/** Whether some row names a file of the data directory. */
export async function namesFiles(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{ some: boolean }>`
    select exists (select 1 from blob) or exists (select 1 from deployment_segment where location is not null) as some`.execute(
    db,
  )
  return rows[0]?.some ?? false
}
