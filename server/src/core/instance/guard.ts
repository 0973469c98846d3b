import type { Database } from '../../db/database.ts'
import { type Asked, isSameDatabase, readIdentity } from '../../db/identity.ts'
import type { DataDir } from '../../drivers/data-dir/data-dir.ts'
import * as store from './store.ts'

type Log = Record<'warn' | 'error', (facts: object, words: string) => void>
type Parts = { db: Database; pool: Asked; dataDir: DataDir; log: Log }

/** After the newest transactions were lost, whoever restores once more, to a later moment, finds everything still there. */
const CAREFUL_MS = 24 * 3600_000

/** Whether what this process is about to delete is its own to delete. */
export type Instance = {
  /** The same for ever; drawn when the instance was made. */
  id(): Promise<string>
  /** Database and data directory are still those that belong together. Before files are deleted. */
  isWhole(): Promise<boolean>
  /** And the database has not lost anything lately. Before anything is deleted because the database does not name it. */
  mayCollect(): Promise<boolean>
}

export function openInstance({ db, pool, dataDir, log }: Parts): Instance {
  let known: Promise<string> | undefined
  const load = async () => {
    const row = await store.find(db)
    if (!row) throw new Error('The instance was not claimed yet.')
    return row
  }
  const isWhole = async () => {
    const [row, mark, now] = await Promise.all([load(), dataDir.readMark(), readIdentity(pool)])
    const whole = mark?.instance === row.id && isSameDatabase(row.database, now.database)
    if (!whole) {
      const facts = { database: row.id, directory: mark?.instance ?? null, path: dataDir.path }
      log.error(facts, 'database and data directory are not of one instance any more: nothing is deleted')
    }
    return whole
  }
  return {
    id() {
      known ??= load().then(
        (row) => row.id,
        (error) => {
          known = undefined
          throw error
        },
      )
      return known
    },
    isWhole,
    async mayCollect() {
      if (!(await isWhole())) return false
      const { wentBackAt } = await load()
      const careful = wentBackAt !== null && Date.now() - wentBackAt.getTime() < CAREFUL_MS
      if (careful) log.warn({ wentBackAt }, 'the database lost its newest transactions: nothing is collected for a day')
      return !careful
    },
  }
}
