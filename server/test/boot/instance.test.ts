import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { createDatabase, databaseUrl, dropDatabase, type TestDatabase } from '../../../test-kit/database.ts'
import { startProcess } from '../../../test-kit/server-process.ts'
import { newId } from '../../src/db/ids.ts'
import { addOwner } from './owner.ts'

const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const clean of cleanups.toReversed()) await clean()
})

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'slipway-instance-'))
  cleanups.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}
const empty = async (): Promise<TestDatabase> => {
  const database = await createDatabase()
  cleanups.push(() => database.drop())
  return database
}
/** Nobody is connected any more, and nobody can be: PostgreSQL copies and renames nothing that is in use. */
async function shut(client: pg.Client, name: string): Promise<void> {
  await client.query(`alter database ${name} allow_connections false`)
  await client.query('select pg_terminate_backend(pid, 20000) from pg_stat_activity where datname = $1', [name])
}

/** As `createdb --template` makes it, which is what a rehearsal often begins with. */
const copyOf = async (from: TestDatabase): Promise<string> => {
  const name = `${from.name}_copy${copies++}`
  const client = new pg.Client({ connectionString: databaseUrl('postgres') })
  await client.connect()
  await shut(client, from.name)
  await client.query(`create database ${name} template ${from.name}`)
  await client.query(`alter database ${from.name} allow_connections true`)
  await client.end()
  cleanups.push(() => dropDatabase(name))
  return databaseUrl(name)
}
let copies = 0

/** A content that a session named a month ago, as the driver would have stored it. */
function storeFile(dataDir: string, orgId: string): string {
  const sha = 'ab'.repeat(32)
  const path = join(dataDir, 'blobs', orgId, 'ab', `${sha}.0123456789abcdef`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'x')
  utimesSync(path, new Date(0), new Date(0))
  return path
}
const filesIn = (dataDir: string) => readdirSync(dataDir, { recursive: true }).map(String).toSorted()
const idIn = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, 'instance.json'), 'utf8')).instance

type Place = { url: string; dataDir: string }
const starts = async ({ url, dataDir }: Place): Promise<void> => {
  const server = startProcess({ SLIPWAY_DATABASE_URL: url, SLIPWAY_DATA_DIR: dataDir })
  await server.ready()
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })
}
/** Refused in these words, with not a file changed. */
const refuses = async ({ url, dataDir }: Place, words: string): Promise<void> => {
  const before = filesIn(dataDir)
  const server = startProcess({ SLIPWAY_DATABASE_URL: url, SLIPWAY_DATA_DIR: dataDir })
  expect(await server.ended, server.said()).toMatchObject({ code: 1 })
  expect(server.said()).toContain(words)
  expect(server.said()).toContain('does not start, and nothing was changed')
  expect(filesIn(dataDir)).toEqual(before)
}
const admin = async ({ url, dataDir }: Place, ...argv: string[]): Promise<string> => {
  const errand = startProcess({ SLIPWAY_DATABASE_URL: url, SLIPWAY_DATA_DIR: dataDir }, ['admin', 'instance', ...argv])
  expect(await errand.ended, errand.said()).toMatchObject({ code: 0 })
  return errand.said()
}

test('everything new together is claimed without a word, once', async () => {
  const { url, pool } = await empty()
  const place = { url, dataDir: join(folder(), 'made', 'by', 'the start') }
  await Promise.all([starts(place), starts(place)])
  const first = idIn(place.dataDir)
  await starts(place)
  expect(idIn(place.dataDir)).toBe(first)
  expect((await pool.query('select id, data_dir_marked from instance')).rows).toEqual([
    { id: first, data_dir_marked: true },
  ])
}, 120_000)

test('a copy of the database beside the original is refused, with its data directory and with another one', async () => {
  const original = await empty()
  await addOwner(original.db)
  const dataDir = folder()
  await starts({ url: original.url, dataDir })
  const url = await copyOf(original)
  await refuses({ url, dataDir }, 'it is a copy, or was restored')
  await refuses({ url, dataDir: folder() }, 'admin instance adopt --as-new')
  await starts({ url: original.url, dataDir })

  // A rehearsal: another instance, with a directory of its own.
  const own = folder()
  expect(await admin({ url, dataDir }, 'adopt', '--as-new')).toContain('was left as it is')
  await refuses({ url, dataDir }, `belongs to the instance ${idIn(dataDir)}`)
  await starts({ url, dataDir: own })
  expect(idIn(own)).not.toBe(idIn(dataDir))
  expect(await admin({ url, dataDir: own })).toContain(`of ${idIn(own)}`)
}, 180_000)

test('a restored database is taken over on purpose, and nothing is collected for a day', async () => {
  const original = await empty()
  const { orgId } = await addOwner(original.db)
  const dataDir = folder()
  await starts({ url: original.url, dataDir })
  const file = storeFile(dataDir, orgId)
  const restored = { url: await copyOf(original), dataDir }
  await refuses(restored, 'Was it restored or moved')
  const id = idIn(dataDir)
  expect(await admin(restored, 'adopt')).toContain(`are the instance ${id} now`)
  await starts(restored)
  expect(readFileSync(file, 'utf8')).toBe('x')
  const client = new pg.Client({ connectionString: restored.url })
  await client.connect()
  const { rows } = await client.query(
    `select went_back_at > now() - interval '1 hour' as lately, (select count(*)::int from server where compare_at > now()) as later from instance`,
  )
  await client.end()
  expect(rows).toEqual([{ lately: true, later: 0 }])
}, 120_000)

test('an empty database with the data directory of an instance is refused, marked or from before there were marks', async () => {
  const original = await empty()
  const { orgId } = await addOwner(original.db)
  const dataDir = folder()
  await starts({ url: original.url, dataDir })
  storeFile(dataDir, orgId)
  const wrong = await empty()
  await refuses({ url: wrong.url, dataDir }, 'and the database has none yet')
  rmSync(join(dataDir, 'instance.json'))
  await refuses({ url: wrong.url, dataDir }, 'nothing says that they are of this database')
  // Nor does it help that somebody has made an owner in it first.
  await addOwner(wrong.db)
  await refuses({ url: wrong.url, dataDir }, 'nothing says that they are of this database')
  await refuses({ url: original.url, dataDir }, 'Run `slipway-server admin instance adopt`')
  await admin({ url: original.url, dataDir }, 'adopt')
  await starts({ url: original.url, dataDir })
}, 180_000)

test('the data directory of another instance is refused', async () => {
  const [one, two] = [await empty(), await empty()]
  const [first, second] = [folder(), folder()]
  await starts({ url: one.url, dataDir: first })
  await starts({ url: two.url, dataDir: second })
  await refuses({ url: one.url, dataDir: second }, `belongs to the instance ${idIn(second)}`)
}, 120_000)

test('a data directory that is empty while the database names files is refused: its disk may not be mounted', async () => {
  const { url, db } = await empty()
  const { orgId } = await addOwner(db)
  const dataDir = folder()
  await starts({ url, dataDir })
  const sha256 = Buffer.alloc(32, 1)
  await db.insertInto('blob').values({ orgId, sha256, size: 1, location: 'x' }).execute()
  await refuses({ url, dataDir: folder() }, 'is empty, and the database names files in it')
  await starts({ url, dataDir })
}, 120_000)

test('an installation from before there were ids is claimed without a word, once, unless its files are of others', async () => {
  const { url, db, pool } = await empty()
  const { orgId } = await addOwner(db)
  const [dataDir, foreign] = [folder(), folder()]
  storeFile(dataDir, orgId)
  storeFile(foreign, newId('org'))
  await refuses({ url, dataDir: foreign }, 'nothing says that they are of this database')
  expect((await pool.query('select 1 from instance')).rowCount).toBe(0)
  await starts({ url, dataDir })
  const id = idIn(dataDir)
  await starts({ url, dataDir })
  expect(idIn(dataDir)).toBe(id)
}, 120_000)

test('a process whose database becomes another one while it runs ends, and says why', async () => {
  const original = await empty()
  const dataDir = folder()
  await starts({ url: original.url, dataDir })
  const copy = await copyOf(original)
  const server = startProcess({ SLIPWAY_DATABASE_URL: original.url, SLIPWAY_DATA_DIR: dataDir })
  await server.ready()
  const client = new pg.Client({ connectionString: databaseUrl('postgres') })
  await client.connect()
  const copied = new URL(copy).pathname.slice(1)
  // As a restore does it: the name stays, what answers to it is another one.
  for (const name of [original.name, copied]) await shut(client, name)
  await client.query(`alter database ${original.name} rename to ${original.name}_was`)
  await client.query(`alter database ${copied} rename to ${original.name}`)
  await client.query(`alter database ${original.name} allow_connections true`)
  expect(await server.ended).toMatchObject({ code: 1 })
  expect(server.said()).toContain('it is a copy, or was restored')
  await client.query(`alter database ${original.name} rename to ${copied}`)
  await client.query(`alter database ${original.name}_was rename to ${original.name}`)
  await client.query(`alter database ${original.name} allow_connections true`)
  await client.end()
}, 120_000)
