import { type Kysely, sql } from 'kysely'

/**
 * What a deployment carries for itself alone, sealed; and which contents a project has shown to have: a credential of one
 * project gets no content of the organization for its hash.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deployment add column overrides text;

    create table blob_project (
      org_id id not null, sha256 bytea not null, project_id id not null references project on delete cascade,
      primary key (org_id, sha256, project_id),
      foreign key (org_id, sha256) references blob on delete cascade);
    create index blob_project_by_project on blob_project (project_id);
  `.execute(db)
}
