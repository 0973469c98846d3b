import type { Deployment } from '@slipway/contract/deployment-shape'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/** Nobody reads further than that. */
const MOST_TOLD = 20

/**
 * What its project does before it, in the order of its lane; null once it is its turn. Whose turn it is among projects and
 * organizations is decided anew each time a worker is free (fair queueing): of that there is no number to tell.
 */
export async function queueOf(db: Queryable, orgId: string, id: string): Promise<Deployment['queue']> {
  const { rows } = await sql<{ id: string | null; number: number | null; before: number }>`
    select d.id, d.number, (count(o.id) over ())::int as before
    from run r
    left join run o on o.lane = r.lane and o.org_id = r.org_id and o.status in ('queued', 'running', 'parked')
      and (o.status <> 'queued' or o.position < r.position)
    left join deployment d on d.id = o.id and d.org_id = o.org_id
    where r.id = ${id} and r.org_id = ${orgId} and r.status = 'queued'
    order by o.status = 'queued', o.position limit ${MOST_TOLD}`.execute(db)
  const [first] = rows
  if (!first) return null
  const ahead = rows.flatMap((row) => (row.id === null ? [] : [{ id: row.id, number: row.number }]))
  return { position: first.before + 1, ahead }
}
