import { type Kysely, sql } from 'kysely'

/** Services that were adopted from a server as they ran there, and what their project may use of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table adopted_service (
      project_id id not null references project on delete cascade, name text collate "C" not null,
      org_id id not null references organization on delete cascade,
      server_id id not null references server on delete cascade,
      key text not null, plan text not null, created_at timestamptz not null default now(),
      primary key (project_id, name));
    create index adopted_service_by_org on adopted_service (org_id, project_id);
    create index adopted_service_by_server on adopted_service (server_id);
    comment on column adopted_service.key is 'what it was on the server: compose/<project>/<service>, swarm/<service>, container/<name>';
    comment on column adopted_service.plan is 'sealed: how it ran, with its environment';

    create table mount_grant (
      id id primary key, org_id id not null references organization on delete cascade,
      project_id id not null references project on delete cascade,
      server_id id not null references server on delete cascade, engine_id text not null,
      kind text not null check (kind in ('volume', 'path')), source text collate "C" not null,
      real_path text, device text, writable boolean not null,
      created_by text not null, created_at timestamptz not null default now(), revoked_by text, revoked_at timestamptz);
    create unique index mount_grant_alive on mount_grant (project_id, server_id, kind, source) where revoked_at is null;
    create index mount_grant_by_org on mount_grant (org_id, project_id, id);
    create index mount_grant_by_source on mount_grant (server_id, kind, source) where revoked_at is null;
    comment on table mount_grant is 'a volume or path of a server that is not a project''s own, and that it may use there; made only by adoption';
    comment on column mount_grant.real_path is 'where the links of a path ended then: elsewhere it is another';
  `.execute(db)
}
