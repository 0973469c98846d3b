import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Database } from './database.ts'
import { migrations } from './migrations/all.ts'

const migrator = (db: Database) =>
  new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: 'migration',
    migrationLockTableName: 'migration_lock',
  })

/**
 * Brings the schema up to date. Replicas that start together wait for one another on the migrator's lock, and neither
 * that nor a long migration may be cut off by the limit that holds for requests.
 */
export async function migrate(db: Database): Promise<string[]> {
  const { error, results = [] } = await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    const outcome = await migrator(connection).migrateToLatest()
    await sql`reset statement_timeout`.execute(connection)
    return outcome
  })
  if (error) throw new Error('The database could not be migrated; nothing was changed.', { cause: error })
  return results.map((result) => result.migrationName)
}

/** Whether every migration this build knows has run. Asked every few seconds, so not by looking through the catalog. */
export async function isMigrated(db: Database): Promise<boolean> {
  const table = await sql<{ there: boolean }>`select to_regclass('migration') is not null as there`.execute(db)
  if (!table.rows[0]?.there) return false
  const { rows } = await sql<{ name: string }>`select name from migration`.execute(db)
  const ran = new Set(rows.map((row) => row.name))
  return Object.keys(migrations).every((name) => ran.has(name))
}
