import { type Kysely, sql } from 'kysely'

/**
 * Deployments and what happened in them. Events are numbered per deployment by a counter on its row, so that a reader
 * who has seen n knows that nothing before it can still appear. A finished deployment's log moves to a segment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table project add column last_number integer not null default 0;
    alter table project add column auto_deploy_paused boolean not null default false;

    create table deployment (
      id id primary key, org_id id not null, project_id id not null references project on delete cascade,
      server_id id not null references server, number integer not null, status text not null, decision text,
      active boolean not null default false, pinned boolean not null default false, trigger text not null,
      source jsonb not null, request jsonb not null, services jsonb not null default '[]', urls text[] not null default '{}',
      branch text, release text, images text[] not null default '{}', error jsonb, waiting_on jsonb,
      cancelling boolean not null default false, created_by jsonb not null, next_seq bigint not null default 0,
      created_at timestamptz not null default now(), started_at timestamptz, built_at timestamptz, finished_at timestamptz,
      unique (project_id, number));
    create index deployment_by_org on deployment (org_id, id);
    create index deployment_by_project on deployment (project_id, id);
    create index deployment_by_status on deployment (org_id, status, id);
    create index deployment_by_branch on deployment (org_id, branch, id) where branch is not null;
    create index deployment_by_server on deployment (server_id);
    create unique index deployment_active on deployment (project_id) where active;

    create table deployment_event (
      deployment_id id not null references deployment on delete cascade, seq bigint not null, at timestamptz not null,
      type text not null, data jsonb not null, primary key (deployment_id, seq));

    create table deployment_segment (
      deployment_id id not null references deployment on delete cascade, first_seq bigint not null, last_seq bigint not null,
      location text, primary key (deployment_id, first_seq));

    create table host_name (
      host text collate "C" primary key, org_id id not null, project_id id not null references project on delete cascade,
      service text not null, port integer not null, path_prefix text, kind text not null check (kind in ('free', 'custom')),
      created_at timestamptz not null default now());
    create index host_name_by_project on host_name (project_id);
  `.execute(db)
}
