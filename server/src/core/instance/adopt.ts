import type { Database } from '../../db/database.ts'
import type { DatabaseIdentity } from '../../db/identity.ts'
import { newId } from '../../db/ids.ts'
import type { DataDir } from '../../drivers/data-dir/data-dir.ts'
import * as store from './store.ts'

type Parts = { db: Database; dataDir: DataDir }
export type Adopted = { id: string; was: { database: string; directory: string | null } }

/**
 * An operator says so: this database and this data directory are the instance from now on. As a new instance it is another
 * one than before; the directory, which may be the original's, is left as it is.
 */
export async function adoptInstance(
  { db, dataDir }: Parts,
  now: DatabaseIdentity,
  { asNew }: { asNew: boolean },
): Promise<Adopted> {
  const before = await store.make(db, now)
  const id = asNew ? newId('ins') : before.id
  const mark = await dataDir.readMark().catch(() => null)
  await store.adopt(db, now, asNew ? id : undefined)
  // What the other database knew may be on the servers: they are compared, and nothing is collected for a day.
  await store.noteWentBack(db, now)
  if (!asNew) {
    await dataDir.remark({ instance: id, flushed: now.flushed?.toString() ?? null })
    await store.noteDataDir(db)
  }
  return { id, was: { database: before.database, directory: mark?.instance ?? null } }
}
