import { Migrator } from 'kysely/migration'
import { afterAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test-kit/database.ts'
import { migrate, schemaState } from '../../src/db/migrate.ts'
import { migrations } from '../../src/db/migrations/all.ts'
import type { SchemaMigration } from '../../src/db/migrations/migration.ts'
import { contractions, readCatalog } from './contractions.ts'

const made: TestDatabase[] = []
const create: typeof createDatabase = async (options) => {
  const database = await createDatabase(options)
  made.push(database)
  return database
}
afterAll(() => Promise.all(made.map((database) => database.drop())))

test('a migration only expands, unless it says from which build on that is safe', async () => {
  const { db, pool } = await create({ migrated: false })
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const names = Object.keys(migrations)
  for (const name of names) {
    const before = await readCatalog(pool)
    const { error } = await migrator.migrateTo(name)
    expect(error, name).toBeUndefined()
    const found = contractions(before, await readCatalog(pool))
    const { contract } = migrations[name] as SchemaMigration
    if (contract) expect(names.indexOf(contract.floor), `the floor of ${name}`).toBeGreaterThanOrEqual(0)
    if (contract) expect(contract.floor <= name).toBe(true)
    const todo =
      'an older build still runs beside it. Add only, and take away in a later release; or say in migrations/all.ts: ' +
      `${name}: { up, contract: { floor, why } }, where floor is the first migration of the build that stopped using it`
    expect(contract ? [] : found, `${name} contracts: ${todo}`).toEqual([])
  }
}, 60_000)

describe('a contraction is found', () => {
  const cases: [statement: string, found: RegExp | null][] = [
    ['alter table a drop column x', /drops or renames a\.x/],
    ['alter table a rename column x to z', /drops or renames a\.x/],
    ['drop table b cascade', /drops or renames the table b/],
    ['alter table a rename to c', /drops or renames the table a/],
    ['alter table a alter column x type bigint', /changes the type of a\.x/],
    ['alter table a alter column x set not null', /forbids null in a\.x/],
    ['alter table a alter column y drop default', /takes the default from a\.y/],
    ['alter table a add column z int not null', /needs a\.z/],
    ['alter table a add check (x > 0)', /forbids in a.*CHECK/],
    ['alter table a add column z int, add check (x > z)', /forbids in a.*CHECK/],
    ['alter table a add foreign key (x) references b', /forbids in a.*FOREIGN KEY/],
    ['create unique index on a (x)', /forbids in a.*UNIQUE/],
    [
      'create trigger t before insert on a for each row execute function suppress_redundant_updates_trigger()',
      /TRIGGER t/,
    ],
    ['create table c (x int not null check (x > 0))', null],
    ['alter table a add column z int not null default 1 check (z > 0)', null],
    ['alter table a add column z int, add column w boolean not null default false', null],
    ['alter table a add column w boolean not null default false; create unique index on a (x) where w', null],
    ['create index on a (x)', null],
    ['alter table a alter column y drop not null', null],
    ['alter table a alter column y set default 5', null],
    ['drop index a_y', null],
    ["comment on column a.x is 'told'", null],
  ]
  test.each(cases)('%s', async (statement, found) => {
    const { pool } = await create({ migrated: false })
    await pool.query('create table b (id int primary key)')
    await pool.query('create table a (x int, y int not null default 1); create index a_y on a (y)')
    const before = await readCatalog(pool)
    await pool.query(statement)
    const said = contractions(before, await readCatalog(pool)).join('; ')
    if (found === null) expect(said).toBe('')
    else expect(said).toMatch(found)
  })
})

const nothing = async () => {}
const newer = (contract?: SchemaMigration['contract']): Record<string, SchemaMigration> => ({
  ...migrations,
  '0998_something_new': { up: nothing },
  '0999_the_newest': { up: nothing, ...(contract && { contract }) },
})

test('a build starts beside a schema that is newer than it knows, as often as it likes', async () => {
  const { db } = await create()
  expect(await migrate(db, newer())).toEqual(['0998_something_new', '0999_the_newest'])
  expect(await migrate(db)).toEqual([])
  expect(await schemaState(db)).toBe('fits')
})

test('a build that is too old for the schema does not start, says why, and is not ready', async () => {
  const { db } = await create()
  await migrate(db, newer({ floor: '0998_something_new', why: 'test' }))
  await expect(migrate(db)).rejects.toThrow(
    /too old for its database.*0998_something_new.*Start the newer version again/s,
  )
  expect(await schemaState(db)).toBe('too new')
  expect(await migrate(db, newer())).toEqual([])
})

test('what an older build that runs still needs is not taken away', async () => {
  const { db, pool } = await create()
  const contracting = newer({ floor: '0998_something_new', why: 'test' })
  await pool.query(`insert into build_in_use (schema) values ('0019_versions')`)
  await expect(migrate(db, contracting)).rejects.toThrow(/older version.*0019_versions.*Stop it/s)
  expect((await pool.query(`select 1 from migration where name >= '0998'`)).rowCount).toBe(0)
  await pool.query(`update build_in_use set used_at = now() - interval '2 minutes'`)
  expect(await migrate(db, contracting)).toHaveLength(2)
})

test('a build that is overtaken by a newer one while it starts goes on', async () => {
  const { db } = await create({ migrated: false })
  const known = Object.keys(migrations).slice(0, -1)
  const older = Object.fromEntries(known.map((name) => [name, migrations[name] as SchemaMigration]))
  await Promise.all([migrate(db, older), migrate(db, newer()), migrate(db, older), migrate(db, newer())])
  expect(await schemaState(db)).toBe('fits')
})
