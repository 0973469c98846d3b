import type { Pool } from 'pg'
import { until } from '../../../test-kit/until.ts'

export type StepRow = { name: string; fence: number; started: number; ended: number | null }
export type RunRow = { status: string; fence: number; attempts: number; owner: string | null }

/** The journal of a run, in the order of its steps. */
export async function stepsOf(pool: Pool, id: string): Promise<StepRow[]> {
  const { rows } = await pool.query(
    `select name, fence, extract(epoch from started_at)::float8 * 1000 as started,
       extract(epoch from ended_at)::float8 * 1000 as ended
     from run_step where run_id = $1 order by started_at`,
    [id],
  )
  return rows
}

export async function runRow(pool: Pool, id: string): Promise<RunRow | undefined> {
  return (await pool.query('select status, fence, attempts, owner from run where id = $1', [id])).rows[0]
}

/** The number of the process that has claimed a run. */
export const pidOf = ({ owner }: RunRow) => Number(owner?.split(' ').at(-1))

const LOOK_MS = 4
const OVER = new Set(['succeeded', 'failed', 'cancelled', 'superseded'])

/** Waits for a step to start, or to end; as soon as it is written, because what follows may last only milliseconds. */
export async function untilStep(pool: Pool, id: string, name: string, what: 'started' | 'ended', ms = 120_000) {
  const look = async () => {
    const row = (await stepsOf(pool, id)).find((step) => step.name === name)
    if (row && (what === 'started' || row.ended !== null)) return row
    const run = await runRow(pool, id)
    if (run && OVER.has(run.status)) throw new Error(`${id} is ${run.status}, and ${name} has not ${what}`)
    return undefined
  }
  return until(`${name} of ${id} has ${what}`, ms, look, { everyMs: LOOK_MS })
}
