import { type Kysely, sql } from 'kysely'

/** What a deployment does to its server, operation by operation, as it is shown. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deployment add column plan jsonb;
    comment on column deployment.plan is 'operations of its rollout with their reasons and states; for people, nothing is decided by it';
  `.execute(db)
}
