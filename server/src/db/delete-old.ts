import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from './database.ts'

const AT_ONCE = 5000
/** More than that is left to the next sweep. */
const MOST_ROUNDS = 20

/**
 * Deletes what is old, in short transactions where it is not in one. An index finds the rows, and they are deleted by where they lie: a plan
 * that joins them to the table again may read all of it. The condition is asked once more of each, or one that changed meanwhile would go too.
 */
export async function deleteOld(db: Queryable, table: string, isOld: RawBuilder<unknown>): Promise<number> {
  const name = sql.table(table)
  let deleted = 0
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${name} where ctid = any (array(select ctid from ${name} where ${isOld} limit ${AT_ONCE})) and ${isOld}`.execute(
      db,
    )
    deleted += Number(numAffectedRows)
    if (numAffectedRows < AT_ONCE) break
  }
  return deleted
}
