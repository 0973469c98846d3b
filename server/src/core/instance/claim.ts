import type { Database } from '../../db/database.ts'
import { type Asked, type DatabaseIdentity, historyChange, isSameDatabase, readIdentity } from '../../db/identity.ts'
import type { DataDir, DataDirMark } from '../../drivers/data-dir/data-dir.ts'
import { mismatch } from './mismatch.ts'
import * as store from './store.ts'

type Parts = { db: Database; dataDir: DataDir }
export type Claimed = { id: string; wentBack: boolean }

/**
 * At the start, before anything is done that could not be undone: database and data directory must belong together, and the
 * database must be the one that this instance has been living in. What is new together is claimed without a word, and so is
 * an installation from before there were ids, once, unless something in it speaks against it.
 */
export async function claimInstance({ db, dataDir }: Parts, now: DatabaseIdentity): Promise<Claimed> {
  const known = await store.find(db)
  const mark = await dataDir.readMark()
  if (!known && mark) throw mismatch.newDatabase(dataDir.path, mark.instance)
  if (known && !isSameDatabase(known.database, now.database)) throw mismatch.copy(known.id)
  const names = mark ? [] : await dataDir.sample()
  if (names.length > 0 && (known?.dataDirMarked || (await store.countKnown(db, names)) === 0)) {
    throw mismatch.unknownDirectory(dataDir.path)
  }
  if (!mark && names.length === 0 && known?.dataDirMarked && (await store.namesFiles(db))) {
    throw mismatch.emptyDirectory(dataDir.path)
  }
  const row = known ?? (await store.make(db, now))
  const found = mark ?? (await markDirectory(dataDir, { instance: row.id, flushed: now.flushed?.toString() ?? null }))
  if (found.instance !== row.id) throw mismatch.otherDirectory(dataDir.path, found.instance, row.id)
  await store.noteDataDir(db)
  const before = { database: row.database, timeline: row.timeline, flushed: bigOf(found.flushed) }
  const wentBack = historyChange(before, now) !== null
  if (wentBack) await noteWentBack({ db, dataDir }, now)
  return { id: row.id, wentBack }
}

/** The database lost something: servers are compared with what it says, and this is how far it has come. */
export async function noteWentBack({ db, dataDir }: Parts, now: DatabaseIdentity): Promise<void> {
  await store.noteWentBack(db, now)
  const mark = await dataDir.readMark()
  if (mark) await dataDir.remark({ ...mark, flushed: now.flushed?.toString() ?? null })
}

async function markDirectory(dataDir: DataDir, mark: DataDirMark): Promise<DataDirMark> {
  if (await dataDir.mark(mark)) return mark
  return (await dataDir.readMark()) ?? mark
}

/** How far the database has come, for a start that may find an older one. Every few minutes, by any process. */
export async function noteProgress({ db, dataDir, pool }: Parts & { pool: Asked }): Promise<void> {
  const { flushed } = await readIdentity(pool)
  const row = await store.find(db)
  const mark = await dataDir.readMark()
  if (flushed === null || !row || mark?.instance !== row.id || flushed <= (bigOf(mark.flushed) ?? 0n)) return
  await dataDir.remark({ ...mark, flushed: flushed.toString() })
}

const bigOf = (text: string | null) => (text !== null && /^\d{1,20}$/.test(text) ? BigInt(text) : null)
