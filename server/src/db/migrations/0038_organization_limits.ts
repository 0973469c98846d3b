import { type Kysely, sql } from 'kysely'

/** Limits that the operator sets for one organization; what is not here is as the configuration has it for all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table organization_limit (
      org_id id not null references organization on delete cascade, kind text not null, most bigint,
      primary key (org_id, kind));
    comment on column organization_limit.most is 'null: no limit';
  `.execute(db)
}
