import { sql } from 'kysely'
import type { Database } from './database.ts'
import { migrations } from './migrations/all.ts'
import type { SchemaMigration } from './migrations/migration.ts'

type Known = Record<string, SchemaMigration>

/** Longer than a process may be silent; how often each says that it is there. */
export const BUILD_HEARTBEAT_MS = 20_000
const SILENT_SECONDS = 60

/** A build is told by the newest migration that it knows. */
export const newestKnown = (known: Known): string => Object.keys(known).toSorted().at(-1) ?? ''

/** A newer build took away what this one needs. */
export async function refuseTooOld(db: Database, known: Known): Promise<void> {
  if (!(await isThere(db))) return
  const { rows } = await sql<{ floor: string }>`select floor from schema_floor`.execute(db)
  const floor = rows[0]?.floor ?? ''
  if (floor <= newestKnown(known)) return
  throw new Error(
    `This version of Slipway is too old for its database: it knows the schema up to ${newestKnown(known)}, and ${floor} is ` +
      'the least. Nothing was changed. Start the newer version again; going back is restoring the backup from before it.',
  )
}

/** What is about to be taken away, somebody may still be using. */
export async function refuseOlderBuilds(db: Database, known: Known, ran: string[]): Promise<void> {
  const pending = Object.entries(known).flatMap(([name, { contract }]) =>
    contract && !ran.includes(name) ? [{ name, floor: contract.floor }] : [],
  )
  const [highest] = pending.toSorted((a, b) => (a.floor < b.floor ? 1 : -1))
  if (!highest || !(await isThere(db))) return
  const { rows } = await sql<{ schema: string }>`
    select schema from build_in_use where schema < ${highest.floor} collate "C"
      and used_at > now() - make_interval(secs => ${SILENT_SECONDS})`.execute(db)
  if (!rows[0]) return
  throw new Error(
    `A process of an older version, which knows the schema up to ${rows[0].schema}, works on this database, and ${highest.name} ` +
      `takes away what it needs. Nothing was changed. Stop it, wait ${SILENT_SECONDS} seconds, and start this version again; ` +
      'or go by way of the version in between, which works beside both.',
  )
}

/** Said by every process again and again. What nobody has said for a day is forgotten. */
export async function noteBuild(db: Database): Promise<void> {
  const ours = newestKnown(migrations)
  await sql`
    with gone as (delete from build_in_use where used_at < now() - interval '1 day' and schema <> ${ours})
    insert into build_in_use (schema) values (${ours}) on conflict (schema) do update set used_at = now()`.execute(db)
}

async function isThere(db: Database): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('schema_floor') is not null as there`.execute(db)
  return rows[0]?.there ?? false
}
