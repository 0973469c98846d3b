import { type Kysely, sql } from 'kysely'

/**
 * Projects whose deployments are in a hosted cloud, and which those are. A table of their own: whatever walks deployments never meets
 * one of them, and looks for no server or run that is not here.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table project add column target text not null default 'server' check (target in ('server', 'cloud'));
    alter table project add column cloud_project_id id;
    comment on column project.cloud_project_id is 'as the cloud calls it';

    create table cloud_deployment (
      id id primary key, org_id id not null references organization on delete cascade,
      project_id id not null references project on delete cascade, shown jsonb not null,
      status text not null generated always as (shown ->> 'status') stored,
      number integer not null generated always as ((shown ->> 'number')::integer) stored,
      branch text generated always as (shown #>> '{source,branch}') stored,
      active boolean not null generated always as ((shown ->> 'active')::boolean) stored,
      seen_at timestamptz not null default now(), created_at timestamptz not null default now());
    create index cloud_deployment_by_org on cloud_deployment (org_id, id);
    create index cloud_deployment_by_project on cloud_deployment (project_id, id);
    create index cloud_deployment_by_status on cloud_deployment (org_id, status, id);
    comment on column cloud_deployment.id is 'the one that the cloud gave it: the same on both sides';
    comment on column cloud_deployment.shown is 'as the cloud has shown it last, at seen_at';
  `.execute(db)
}
