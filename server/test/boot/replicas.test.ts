import { afterAll, expect, test } from 'vitest'
import { run } from '../../../lab/run.ts'
import { tool, toolEnv } from '../../../lab/tools.ts'
import { createDatabase } from '../../../test-kit/database.ts'
import { startProcess } from '../../../test-kit/server-process.ts'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { migrations } from '../../src/db/migrations/all.ts'

const REPLICAS = 6
const single = await createDatabase({ migrated: false })
afterAll(() => single.drop())

/** The whole schema as statements, and which migrations ran. */
async function schemaOf(database: { url: string; pool: typeof single.pool }) {
  const dump = await run([tool('pg_dump'), '--schema-only', '--no-owner', database.url], { env: toolEnv() })
  const ran = await database.pool.query('select name from migration order by name')
  // Newer dumps carry a random word that locks them to their reader.
  return { dump: dump.replace(/^\\(un)?restrict .*$/gm, ''), ran: ran.rows }
}

/** Starts so many servers at once, waits for all to be ready, and ends them in order. */
async function startAndStop(url: string, count: number): Promise<string[]> {
  const replicas = Array.from({ length: count }, () => startProcess({ SLIPWAY_DATABASE_URL: url }))
  try {
    await Promise.all(replicas.map((replica) => replica.ready()))
    for (const replica of replicas) replica.signal('SIGTERM')
    const ends = await Promise.all(replicas.map((replica) => replica.ended))
    expect(ends).toEqual(Array(count).fill({ code: 0, signal: null }))
    return replicas.map((replica) => replica.said())
  } finally {
    await Promise.all(replicas.map((replica) => replica.end()))
  }
}

test('six replicas started at once on an empty database migrate correctly', { timeout: 300_000 }, async () => {
  const empty = await createDatabase({ migrated: false })
  try {
    const said = await startAndStop(empty.url, REPLICAS)
    expect(said.filter((log) => log.includes('database migrated'))).toHaveLength(1)
    await startAndStop(single.url, 1)
    expect(await schemaOf(empty)).toEqual(await schemaOf(single))
  } finally {
    await empty.drop()
  }
})

test('a replica waits for a migration that takes longer than a statement may', async () => {
  const empty = await createDatabase({ migrated: false })
  const late = openDatabase({ url: empty.url, connections: 2, onError: () => {} })
  Object.assign(late.pool.options, { statement_timeout: 1000 })
  const first = await empty.pool.connect()
  try {
    // Kysely's own lock, as a replica holds it that migrates right now.
    await first.query('select pg_advisory_lock(3853314791062309107)')
    const migrated = migrate(late.db)
    await first.query('select pg_sleep(2)')
    await first.query('select pg_advisory_unlock_all()')
    expect(await migrated).toEqual(Object.keys(migrations))
    await expect(late.pool.query('select pg_sleep(10)')).rejects.toThrow('statement timeout')
  } finally {
    first.release()
    await late.close()
    await empty.drop()
  }
})
