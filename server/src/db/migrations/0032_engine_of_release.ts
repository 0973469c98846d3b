import { type Kysely, sql } from 'kysely'

/** On which engine a release was rolled out: another one at the same address has never run it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deployment add column engine_id text;
    comment on column deployment.engine_id is 'of the Swarm that its release was rolled out on; null: not known';
    update deployment d set engine_id = s.engine_id from server s where s.id = d.server_id and d.active;
  `.execute(db)
}
