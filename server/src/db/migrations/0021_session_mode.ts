import { type Kysely, sql } from 'kysely'

/** Where a folder upload is meant to be deployed: on servers of this instance, or on a hosted cloud. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table folder_session add column mode text not null default 'local' check (mode in ('local', 'cloud'));
  `.execute(db)
}
