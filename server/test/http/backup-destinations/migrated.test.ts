import { Migrator } from 'kysely/migration'
import { afterAll, expect, test } from 'vitest'
import { createDatabase } from '../../../../test-kit/database.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { migrations } from '../../../src/db/migrations/all.ts'

const database = await createDatabase({ migrated: false })
afterAll(() => database.drop())

test('destinations that nobody had tried are looked at within a day, each at another moment; unpinned SFTP is not', async () => {
  const { db, pool } = database
  const tables = { migrationTableName: 'migration', migrationLockTableName: 'migration_lock' }
  const before = new Migrator({ db, provider: { getMigrations: async () => migrations }, ...tables })
  expect((await before.migrateTo('0010_sealing_keys')).error).toBeUndefined()
  await pool.query(`insert into organization (id, name) values ('org_1', 'One')`)
  await pool.query(
    `insert into backup_destination (id, org_id, name, name_key, kind, host_key, next_verify_at)
     select 'dst_' || n, 'org_1', n, n, case when n <= 20 then 'local' else 'sftp' end, case when n = 21 then 'key' end,
       case when n = 20 then '2026-01-01T00:00:00Z'::timestamptz end from generate_series(1, 22) n`,
  )
  await migrate(db)
  const { rows } = await pool.query<{ id: string; next: Date | null; soon: boolean }>(
    `select id, next_verify_at as next, next_verify_at between now() and now() + interval '1 day' as soon
     from backup_destination order by substr(id, 5)::int`,
  )
  const [pinned, unpinned] = [rows[20], rows[21]]
  const untried = rows.slice(0, 19)
  expect([...untried, pinned].every((row) => row?.soon)).toBe(true)
  expect(new Set(untried.map(({ next }) => next?.getTime())).size).toBe(19)
  expect(rows[19]?.next?.toISOString()).toBe('2026-01-01T00:00:00.000Z')
  expect(unpinned?.next).toBeNull()
})
