import { type Kysely, sql } from 'kysely'

/** What a deployment carries for itself alone, sealed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deployment add column overrides text`.execute(db)
}
