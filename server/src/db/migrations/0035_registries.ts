import { type Kysely, sql } from 'kysely'

/** What images of private registries are fetched with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table registry (
      id id primary key, org_id id not null references organization on delete cascade,
      project_id id references project on delete cascade,
      host text collate "C" not null, path text collate "C", username text not null, password text not null,
      last_checked_at timestamptz, last_check_error text, version integer not null default 1,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
      unique nulls not distinct (org_id, project_id, host, path));
    create index registry_by_org on registry (org_id, id);
    create index registry_by_project on registry (project_id) where project_id is not null;
    comment on column registry.project_id is 'the only project that it is for; null: all of the organization';
    comment on column registry.path is 'the beginning of the names it is for, after the host; null: all of them';
    comment on column registry.password is 'sealed';
  `.execute(db)
}
