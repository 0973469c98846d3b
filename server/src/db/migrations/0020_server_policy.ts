import { type Kysely, sql } from 'kysely'

/** What the owner of a server allows on it, beyond what every container may have anyway. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table server add column policy jsonb not null default '{}';
    comment on column server.policy is 'what was said: what is missing is as the mode of the instance has it';
  `.execute(db)
}
