import { type Kysely, sql } from 'kysely'

/** Links that nobody can join by any more because of what somebody did: whoever still holds one is told so. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table former_link (
      code_hash bytea primary key, org_id id not null references organization on delete cascade,
      why text not null check (why in ('withdrawn', 'replaced')), ended_at timestamptz not null default now());
    create index former_link_by_org on former_link (org_id, ended_at);
    create index former_link_by_end on former_link (ended_at);
  `.execute(db)
}
