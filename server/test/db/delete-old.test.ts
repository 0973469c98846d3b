import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { createDatabase } from '../../../test-kit/database.ts'
import { deleteOld } from '../../src/db/delete-old.ts'

const database = await createDatabase()
const { db, pool } = database
afterAll(database.drop)

const tries = async () => (await pool.query('select key from sign_in_try order by key')).rows.map(({ key }) => key)
const isOld = sql`since < now() - interval '1 hour'`

test('all that is old goes, however much it is, and nothing else', async () => {
  await pool.query(
    `insert into sign_in_try (key, count, since)
     select 'old-' || n, 1, now() - interval '2 hours' from generate_series(1, 12000) n union all select 'young', 1, now()`,
  )
  expect(await deleteOld(db, 'sign_in_try', isOld)).toBe(12_000)
  expect(await tries()).toEqual(['young'])
})

test('what becomes young while it is about to be deleted stays', async () => {
  await pool.query(`delete from sign_in_try`)
  await pool.query(`insert into sign_in_try (key, count, since) values ('renewed', 1, now() - interval '2 hours')`)
  const other = await pool.connect()
  await other.query('begin')
  await other.query('update sign_in_try set since = now()')
  const deleting = deleteOld(db, 'sign_in_try', isOld)
  const waits = async () =>
    (await pool.query(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .rowCount
  await expect.poll(waits).toBe(1)
  await other.query('commit')
  other.release()
  expect(await deleting).toBe(0)
  expect(await tries()).toEqual(['renewed'])
})
