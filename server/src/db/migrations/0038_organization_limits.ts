import { type Kysely, sql } from 'kysely'

/**
 * Limits that the operator sets for one organization; what is not here is as the configuration has it for all. And what is
 * counted for them, where the rows did not say it yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table organization_limit (
      org_id id not null references organization on delete cascade, kind text not null, most bigint,
      primary key (org_id, kind));
    create table organization_log (
      org_id id not null references organization on delete cascade, hour timestamptz not null, bytes bigint not null,
      primary key (org_id, hour));
    alter table deployment add column memory_bytes bigint;
    comment on column deployment.memory_bytes is 'what all containers of its release may use; null: it has none, or an older build made it';
    comment on column organization_limit.most is 'null: no limit';
  `.execute(db)
}
