import { createDatabase, createTemplate, dropDatabase } from '../test-kit/database.ts'

export const claim = 'A test file gets a fresh, migrated database of its own in well under 100 ms.'
/** Needs a quiet machine: right after the tests it measures what PostgreSQL still has to clear away. */
export const kind = 'figure'
export const quick = false

const MOST_MS = 100
const ROUNDS = 15

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const template = await createTemplate()
  process.env.SLIPWAY_TEST_TEMPLATE = template
  try {
    const times: number[] = []
    for (let n = 0; n < ROUNDS; n++) {
      const started = performance.now()
      const database = await createDatabase()
      await database.pool.query('select 1 from project')
      times.push(performance.now() - started)
      await database.drop()
    }
    const median = times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.POSITIVE_INFINITY
    return { ok: median < MOST_MS, figure: `median ${median.toFixed(0)} ms of ${ROUNDS} (under ${MOST_MS})` }
  } finally {
    await dropDatabase(template)
  }
}
