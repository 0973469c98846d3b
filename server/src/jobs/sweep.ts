import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { newId } from '../db/ids.ts'

const DAY_MS = 24 * 3600_000
const BATCH = 1000

/**
 * Deletes runs that nobody looks at any more: those with an id of their own, a week after their end. A deployment's run
 * has the deployment's id, shows its steps, and goes with it. Ids tell the time, so no index is needed.
 */
export async function sweepRuns(db: Database, signal: AbortSignal, now = Date.now()): Promise<number> {
  const before = newId('run', now - 7 * DAY_MS)
  let removed = 0
  for (let gone = BATCH; gone === BATCH && !signal.aborted; ) {
    const { numAffectedRows } = await sql`
      delete from run where id in (
        select id from run where id >= 'run_' and id < ${before} and finished_at is not null limit ${BATCH})`.execute(
      db,
    )
    gone = Number(numAffectedRows ?? 0)
    removed += gone
  }
  return removed
}
