import { type Kysely, sql } from 'kysely'

/** A link is used without a session once, and a setup link knows the token that was made with it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table invitation add column used_at timestamptz;
    alter table invitation add column token_id id;
  `.execute(db)
}
