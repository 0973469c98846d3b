import { type Kysely, sql } from 'kysely'

/** The names of an organization are listed by name, whichever projects they lead to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index host_name_by_org on host_name (org_id, host)`.execute(db)
}
