import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { newestKnown, refuseOlderBuilds, refuseTooOld } from './builds.ts'
import type { Database } from './database.ts'
import { migrations } from './migrations/all.ts'
import type { SchemaMigration } from './migrations/migration.ts'

type Known = Record<string, SchemaMigration>
const MOST_ATTEMPTS = 3

/**
 * Brings the schema up to date. Replicas that start together wait for one another on the migrator's lock, and neither
 * that nor a long migration may be cut off by the limit that holds for requests. A schema that is newer than this build is
 * fine as long as its floor says so.
 */
export async function migrate(db: Database, known: Known = migrations): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const ran = await executed(db)
    await refuseTooOld(db, known)
    await refuseOlderBuilds(db, known, ran)
    const { error, results = [] } = await db.connection().execute(async (connection) => {
      await sql`set statement_timeout = 0`.execute(connection)
      const outcome = await migratorOf(connection, known, ran).migrateToLatest()
      await sql`reset statement_timeout`.execute(connection)
      return outcome
    })
    if (!error) return results.map((result) => result.migrationName)
    // A newer build was faster: what it did is not known here, and need not be.
    const overtaken = (await executed(db)).some((name) => !ran.includes(name) && !(name in known))
    if (!overtaken || attempt === MOST_ATTEMPTS)
      throw new Error('The database could not be migrated; nothing was changed.', { cause: error })
  }
}

function migratorOf(db: Database, known: Known, ran: string[]): Migrator {
  const ours = Object.entries(known).map(([name, migration]) => [name, raising(migration)] as const)
  const others = ran.filter((name) => !(name in known)).map((name) => [name, { up: async () => {} }] as const)
  return new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries([...others, ...ours]) },
    migrationTableName: 'migration',
    migrationLockTableName: 'migration_lock',
  })
}

/** The floor rises in the transaction that takes something away. */
const raising = ({ contract, up }: SchemaMigration): Migration => ({
  async up(db: Kysely<unknown>) {
    await up(db)
    const { rows } = await sql<{ there: boolean }>`select to_regclass('schema_floor') is not null as there`.execute(db)
    if (!contract || !rows[0]?.there) return
    await sql`update schema_floor set floor = greatest(floor, ${contract.floor} collate "C")`.execute(db)
  },
})

/** The migrations that ran here, in any build. */
async function executed(db: Database): Promise<string[]> {
  const table = await sql<{ there: boolean }>`select to_regclass('migration') is not null as there`.execute(db)
  if (!table.rows[0]?.there) return []
  const { rows } = await sql<{ name: string }>`select name from migration`.execute(db)
  return rows.map((row) => row.name)
}

export type SchemaState = 'fits' | 'not migrated' | 'too new'

/** Whether this build can work on the schema. Asked every few seconds, so not by looking through the catalog. */
export async function schemaState(db: Database): Promise<SchemaState> {
  const ran = new Set(await executed(db))
  if (!Object.keys(migrations).every((name) => ran.has(name))) return 'not migrated'
  const { rows } = await sql<{ floor: string }>`select floor from schema_floor`.execute(db)
  return (rows[0]?.floor ?? '') > newestKnown(migrations) ? 'too new' : 'fits'
}
