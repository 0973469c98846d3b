import { type Kysely, sql } from 'kysely'

/** The platform's own name is one of the names, and has its certificate among the others; it is no project's. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table host_name alter column project_id drop not null, drop constraint host_name_kind_check;
    alter table certificate alter column project_id drop not null;
    comment on column host_name.kind is 'free, custom, or platform: the platform''s own, of no project and only one';
  `.execute(db)
}
