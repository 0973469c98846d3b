import { afterAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test-kit/database.ts'
import { newId } from '../../src/db/ids.ts'
import { migrate, schemaState } from '../../src/db/migrate.ts'

const made: TestDatabase[] = []
const create: typeof createDatabase = async (options) => {
  const database = await createDatabase(options)
  made.push(database)
  return database
}
afterAll(() => Promise.all(made.map((database) => database.drop())))

test('many migrators at once on an empty database leave it migrated once', async () => {
  const { url, db } = await create({ migrated: false })
  const { openDatabase } = await import('../../src/db/database.ts')
  const replicas = Array.from({ length: 6 }, () => openDatabase({ url, connections: 2, onError: () => {} }))
  const ran = await Promise.all(replicas.map((replica) => migrate(replica.db)))
  await Promise.all(replicas.map((replica) => replica.close()))
  expect(ran.filter((names) => names.length > 0)).toHaveLength(1)
  expect(await schemaState(db)).toBe('fits')
  expect(await migrate(db)).toEqual([])
})

test('ids sort by the moment they were made and do not repeat', () => {
  const ids = [1, 1000, Date.now() - 1, Date.now(), Date.now() + 86_400_000].map((at) => newId('prj', at))
  expect(ids.toSorted()).toEqual(ids)
  expect(ids.every((id) => /^prj_[0-9a-hjkmnp-tv-z]{26}$/.test(id))).toBe(true)
  expect(new Set(Array.from({ length: 10_000 }, () => newId('prj', 0))).size).toBe(10_000)
})

test('PostgreSQL sorts ids as the code does, byte by byte', async () => {
  const { pool } = await create()
  const { rows } = await pool.query(`select x from unnest($1::text[]) x order by x collate "C"`, [
    ['prj_b', 'prj_a~', 'prj_a', 'prj_0'],
  ])
  expect(rows.map((row) => row.x)).toEqual(['prj_0', 'prj_a', 'prj_a~', 'prj_b'])
  const column = await pool.query(
    `select collation_name from information_schema.columns where table_name = 'project' and column_name = 'id'`,
  )
  expect(column.rows[0].collation_name).toBe('C')
})
