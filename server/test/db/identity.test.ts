import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test-kit/database.ts'
import { openEpoch } from '../../src/db/epoch.ts'
import {
  type Asked,
  type DatabaseIdentity,
  historyChange,
  isSameDatabase,
  readIdentity,
} from '../../src/db/identity.ts'

const database: TestDatabase = await createDatabase()
afterAll(() => database.drop())
const here: DatabaseIdentity = { database: '7/5/100', timeline: 1, flushed: 50n }

test('a database tells itself from its copy, and only grows', async () => {
  const first = await readIdentity(database.pool)
  expect(first).toMatchObject({ database: expect.stringMatching(/^\d+\/\d+\/\d+$/), timeline: expect.any(Number) })
  await database.pool.query('create table grows (x int)')
  const later = await readIdentity(database.pool)
  expect(later.database).toBe(first.database)
  expect(historyChange(first, later)).toBeNull()
  const copy = await createDatabase()
  expect(isSameDatabase(first.database, (await readIdentity(copy.pool)).database)).toBe(false)
  await copy.drop()
})

test('a role without any rights can ask; what a service withholds contradicts nothing', async () => {
  const role = `plain_${process.pid}`
  const { pool } = database
  const full = await readIdentity(pool)
  await pool.query(`create role ${role} login`)
  const url = new URL(database.url)
  url.username = role
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    expect((await readIdentity(client)).database).toBe(full.database)
    await pool.query('revoke execute on function pg_control_system() from public')
    const less = await readIdentity(client)
    expect(less).toMatchObject({ database: full.database.replace(/^\d+/, '-'), timeline: full.timeline })
    await pool.query('revoke execute on function pg_walfile_name(pg_lsn) from public')
    const least = await readIdentity(client)
    expect(least).toMatchObject({ timeline: null, flushed: null })
    expect(historyChange(full, least)).toBeNull()
    expect(historyChange(least, full)).toBeNull()
  } finally {
    await client.end()
    await pool.query(`drop role ${role}`)
  }
})

test('another timeline or a shorter log is another history, another place another database', () => {
  expect(historyChange(here, { ...here, flushed: 51n })).toBeNull()
  expect(historyChange(here, { ...here, timeline: 2, flushed: 60n })).toBe('another history')
  expect(historyChange(here, { ...here, flushed: 49n })).toBe('another history')
  for (const place of ['8/5/100', '7/6/100', '7/5/101']) {
    expect(historyChange(here, { ...here, database: place })).toBe('another database')
  }
})

/** Answers when it is told to. */
function slowly(identity: DatabaseIdentity): Asked & { answer(): void } {
  const [system, oid, table] = identity.database.split('/')
  const wal = `${String(identity.timeline).padStart(8, '0')}0000000000000001`
  const row = { system, database: oid, table, wal, flushed: String(identity.flushed) }
  const { promise, resolve } = Promise.withResolvers<void>()
  return { query: () => promise.then(() => ({ rows: [row] })), answer: resolve }
}

test('answers that overtake each other are no change; a change is told once, and another database is refused', async () => {
  const epoch = openEpoch()
  const changes: string[] = []
  epoch.onChange((change) => changes.push(change))
  epoch.begin(here)
  const [older, newer] = [slowly({ ...here, flushed: 60n }), slowly({ ...here, flushed: 70n })]
  const looks = [epoch.look(older), epoch.look(newer)]
  newer.answer()
  await looks[1]
  older.answer()
  await looks[0]
  expect([changes, epoch.number]).toEqual([[], 0])

  const promoted = [slowly({ ...here, timeline: 2 }), slowly({ ...here, timeline: 2 })]
  const both = promoted.map((one) => epoch.look(one))
  for (const one of promoted) one.answer()
  await Promise.all(both)
  expect([changes, epoch.number]).toEqual([['another history'], 1])

  const other = slowly({ ...here, database: '8/5/100' })
  other.answer()
  await expect(epoch.look(other)).rejects.toMatchObject({ code: '57P03' })
  await expect(epoch.look(other)).rejects.toMatchObject({ code: '57P03' })
  expect(changes[1]).toBe('another database')
})
