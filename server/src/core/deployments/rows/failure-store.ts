import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/** The newest line of the log that a step printed, or the newest of these words. */
export async function lastLine(db: Queryable, id: string, step: string, line?: string): Promise<number | null> {
  const { rows } = await sql<{ seq: string }>`
    select seq from deployment_event
    where deployment_id = ${id} and type = 'log' and data ->> 'step' = ${step}
      and (${line ?? null}::text is null or data ->> 'line' = ${line ?? null}) order by seq desc limit 1`.execute(db)
  return rows[0] === undefined ? null : Number(rows[0].seq)
}
