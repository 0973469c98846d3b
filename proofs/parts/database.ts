import { randomBytes } from 'node:crypto'
import { type OpenDatabase, openDatabase } from '../../server/src/db/database.ts'
import { migrate } from '../../server/src/db/migrate.ts'
import { databaseUrl } from '../../server/test/database.ts'

export type ProofDatabase = OpenDatabase & { url: string; name: string; drop(): Promise<void> }

/** A database of the proof's own in the lab's PostgreSQL. */
export async function createDatabase(options: { migrated: boolean; connections?: number }): Promise<ProofDatabase> {
  const name = `slipway_p${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name}`)
  const url = databaseUrl(name)
  const open = openDatabase({ url, connections: options.connections ?? 4, onError: () => {} })
  if (options.migrated) await migrate(open.db)
  return {
    ...open,
    url,
    name,
    async drop() {
      await open.close()
      await asAdmin(`drop database if exists ${name} with (force)`)
    },
  }
}

async function asAdmin(text: string): Promise<void> {
  const { pool, close } = openDatabase({ url: databaseUrl('postgres'), connections: 1, onError: () => {} })
  try {
    await pool.query(text)
  } finally {
    await close()
  }
}
