import { type Kysely, sql } from 'kysely'

/**
 * A link is used without a session once, a setup link knows the token that was made with it, and a session knows whether
 * its person chose the password in it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table invitation add column used_at timestamptz;
    alter table invitation add column token_id id;
    alter table session add column password_chosen_at timestamptz;
  `.execute(db)
}
