import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { labPart } from '../lab/ask.ts'
import { type OpenDatabase, openDatabase } from '../server/src/db/database.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { assertReachable } from './reach.ts'

/** The address of a database in the PostgreSQL that was named for tests, else in the lab's. */
export function databaseUrl(name: string): string {
  assertReachable('postgres')
  const url = new URL(process.env.SLIPWAY_TEST_DATABASE_URL || labPart('postgres').url)
  url.pathname = `/${name}`
  return url.href
}

async function asAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl('postgres') })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Makes the template of this run; other runs have theirs. Leftovers of runs that were cut off go after an hour. */
export async function createTemplate(): Promise<string> {
  const name = newName('template')
  await asAdmin(async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      `select datname from pg_database where datname like 'slipway\\_te%'`,
    )
    for (const { datname } of rows.filter(isOld)) await client.query(`drop database if exists ${datname} with (force)`)
    await client.query(`create database ${name} template template0`)
  })
  const template = openDatabase({ url: databaseUrl(name), connections: 1, onError: () => {} })
  await migrate(template.db)
  await template.close()
  return name
}

export const dropDatabase = (name: string) =>
  asAdmin((client) => client.query(`drop database if exists ${name} with (force)`))

/** The age is in the name: to ask PostgreSQL for it takes more rights than to make a database. */
const newName = (kind: 'template' | 'test' | 'proof') =>
  `slipway_${kind}_${Math.floor(Date.now() / 1000)}_${randomBytes(6).toString('hex')}`
const isOld = ({ datname }: { datname: string }) =>
  Number(/^slipway_(?:template|test)_(\d{10})_/.exec(datname)?.[1]) < Date.now() / 1000 - 3600

export type TestDatabase = OpenDatabase & { url: string; name: string; drop(): Promise<void> }

/** A database of its own: a copy of the template where there is one (tens of milliseconds), else brought up to date by itself. */
export async function createDatabase({ migrated = true, connections = 10 } = {}): Promise<TestDatabase> {
  const template = process.env.SLIPWAY_TEST_TEMPLATE
  // A proof may run for longer than an hour: its databases are not taken for leftovers.
  const name = newName(template === undefined ? 'proof' : 'test')
  await asAdmin((client) =>
    client.query(`create database ${name} template ${migrated && template !== undefined ? template : 'template0'}`),
  )
  const url = databaseUrl(name)
  const open = openDatabase({ url, connections, onError: () => {} })
  if (migrated && template === undefined) await migrate(open.db)
  return {
    ...open,
    url,
    name,
    async drop() {
      await open.close()
      await dropDatabase(name)
    },
  }
}
