import { Migrator } from 'kysely/migration'
import { afterAll, expect, test } from 'vitest'
import { createDatabase } from '../../../test-kit/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { migrations } from '../../src/db/migrations/all.ts'

const database = await createDatabase({ migrated: false })
afterAll(() => database.drop())

test('releases that were active before are on the engine that their server had; of others nothing is said', async () => {
  const { db, pool } = database
  const tables = { migrationTableName: 'migration', migrationLockTableName: 'migration_lock' }
  const before = new Migrator({ db, provider: { getMigrations: async () => migrations }, ...tables })
  expect((await before.migrateTo('0031_plan')).error).toBeUndefined()
  await pool.query(`insert into organization (id, name) values ('org_1', 'One')`)
  await pool.query(
    `insert into server (id, org_id, name, kind, engine_id)
     values ('srv_known', 'org_1', 'known', 'ssh', 'engine'), ('srv_new', 'org_1', 'new', 'ssh', null)`,
  )
  await pool.query(
    `insert into project (id, org_id, name) values ('prj_known', 'org_1', 'known'), ('prj_new', 'org_1', 'new')`,
  )
  await pool.query(
    `insert into deployment (id, org_id, project_id, server_id, number, status, active, trigger, source, request, created_by)
     select 'dep_' || name || n, 'org_1', 'prj_' || name, 'srv_' || name, n, 'ready', n = 2, 'manual', '{}', '{}', '{}'
     from unnest(array['known', 'new']) name, generate_series(1, 2) n`,
  )
  await migrate(db)
  const { rows } = await pool.query('select id, engine_id as engine from deployment order by id')
  expect(rows).toEqual([
    { id: 'dep_known1', engine: null },
    { id: 'dep_known2', engine: 'engine' },
    { id: 'dep_new1', engine: null },
    { id: 'dep_new2', engine: null },
  ])
})
