import type { TestDatabase } from '../../../test-kit/database.ts'
import { until } from '../../../test-kit/until.ts'

type Pool = Pick<TestDatabase, 'pool'>

/** Milliseconds from the submission of a run until a worker had it and its first step had begun. */
export const waitOf = ({ pool }: Pool, id: string): Promise<number> =>
  until(`${id} has begun`, 300_000, async () => {
    const { rows } = await pool.query<{ ms: number | null }>(
      `select extract(epoch from (select min(s.started_at) from run_step s where s.run_id = r.id) - r.created_at)::float8
         * 1000 as ms from run r where r.id = $1`,
      [id],
    )
    return rows[0]?.ms ?? undefined
  })

/** The newest run of a kind in a lane. */
export async function newestRun({ pool }: Pool, lane: string, kind: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from run where lane = $1 and kind = $2 order by position desc limit 1',
    [lane, kind],
  )
  return rows[0]?.id ?? ''
}

/** Runs of an organization: waiting in line, with a worker, and resting. */
export async function countRuns({ pool }: Pool, orgId: string) {
  const { rows } = await pool.query<{ queued: number; running: number; resting: number }>(
    `select count(*) filter (where status = 'queued')::int as queued, count(*) filter (where status = 'running')::int as running,
       count(*) filter (where status = 'parked')::int as resting from run where org_id = $1 and kind = 'deploy'`,
    [orgId],
  )
  return rows[0] ?? { queued: 0, running: 0, resting: 0 }
}

export async function countOrders({ pool }: Pool, orgId: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from acme_order where org_id = $1', [
    orgId,
  ])
  return rows[0]?.n ?? 0
}

/** As if it had been issued three months ago, and every try to renew it had failed since. */
export async function endsTomorrow({ pool }: Pool, host: string): Promise<void> {
  const problem = { code: 'ca_failed', message: 'The CA was away.', hint: null }
  await pool.query(
    `update certificate set not_before = now() - interval '89 days', not_after = now() + interval '1 day',
       renew_at = now(), look_at = now(), problem = $2 where host = $1`,
    [host, JSON.stringify(problem)],
  )
}
