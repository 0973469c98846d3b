import type { Pool, QueryResultRow } from 'pg'

export type { Pool } from 'pg'

/** A hot query, written out once: no builder at run time, parsed and planned once per connection. */
export function statement<Row extends QueryResultRow>(name: string, text: string) {
  const query = async (pool: Pool, values: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>({ name, text, values })).rows
  return Object.assign(query, { text })
}
