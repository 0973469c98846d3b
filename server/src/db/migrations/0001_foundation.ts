import { type Kysely, sql } from 'kysely'

/**
 * Ids are text that sorts by time, compared byte by byte ("C"), so that one index serves lookup and newest-first pages.
 * Every table of an organization carries org_id: no query needs a join to know whose row it is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create domain id as text collate "C";

    create table organization (id id primary key, name text not null, created_at timestamptz not null default now());

    create table person (
      id id primary key, name text not null, email text not null unique check (email = lower(email)),
      email_verified boolean not null default false, image text,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now());

    create table session (
      id id primary key, token text not null unique, user_id id not null references person on delete cascade,
      active_org_id id, ip_address text, user_agent text, expires_at timestamptz not null,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now());
    create index session_by_user on session (user_id);
    create index session_expiry on session (expires_at);

    create table credential (
      id id primary key, user_id id not null references person on delete cascade, account_id text not null,
      provider_id text not null, password text, access_token text, refresh_token text, id_token text, scope text,
      access_token_expires_at timestamptz, refresh_token_expires_at timestamptz,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
      unique (provider_id, account_id));
    create index credential_by_user on credential (user_id);

    create table verification (
      id id primary key, identifier text not null, value text not null, expires_at timestamptz not null,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now());
    create index verification_by_identifier on verification (identifier);

    create unlogged table rate_limit (
      id id primary key, key text not null unique, count integer not null, last_request double precision not null);

    create table member (
      org_id id not null references organization on delete cascade, user_id id not null references person on delete cascade,
      role text not null check (role in ('viewer', 'developer', 'admin', 'owner')),
      created_at timestamptz not null default now(), primary key (org_id, user_id));
    create index member_by_user on member (user_id, org_id);

    create table invitation (
      id id primary key, org_id id not null references organization on delete cascade, email text not null,
      role text not null check (role in ('viewer', 'developer', 'admin', 'owner')), code_hash bytea not null unique,
      invited_by text, setup boolean not null default false, attempts integer not null default 0,
      expires_at timestamptz not null, accepted_at timestamptz,
      created_at timestamptz not null default now());
    create index invitation_open on invitation (org_id, id) where accepted_at is null;
    create unique index invitation_open_email on invitation (org_id, lower(email)) where accepted_at is null;

    create table server (
      id id primary key, org_id id not null references organization on delete cascade, name text not null,
      kind text not null check (kind in ('local', 'ssh')), host text, port integer, login_user text, socket_path text,
      private_key text, passphrase text, public_key text, host_key text, last_report jsonb,
      version integer not null default 1,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now());
    create index server_by_org on server (org_id, id);
    create unique index server_name on server (org_id, lower(name));
    create unique index server_local on server (kind) where kind = 'local';

    create table project (
      id id primary key, org_id id not null references organization on delete cascade, name text not null,
      repository text, branch text, server_id id references server, settings jsonb not null default '{}',
      version integer not null default 1,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now());
    create index project_by_org on project (org_id, id);
    create unique index project_name on project (org_id, lower(name));
    create index project_repository on project (org_id, repository, id) where repository is not null;
    create index project_by_server on project (server_id, org_id) where server_id is not null;

    create table service (
      project_id id not null references project on delete cascade, org_id id not null, name text collate "C" not null,
      config jsonb not null, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
      primary key (project_id, name));

    create table variable (
      id id primary key, project_id id not null references project on delete cascade, org_id id not null,
      service text collate "C" not null default '', name text collate "C" not null,
      scope text not null check (scope in ('all', 'build', 'runtime')), value text not null,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
      unique (project_id, service, name));

    create table token (
      id id primary key, org_id id not null, user_id id not null, name text not null, hash bytea not null unique,
      hint text not null, scopes text[], project_id id references project on delete cascade,
      expires_at timestamptz, last_used_at timestamptz, created_at timestamptz not null default now(),
      foreign key (org_id, user_id) references member on delete cascade);
    create index token_by_org on token (org_id, id);
    create index token_by_owner on token (org_id, user_id, id);
    create index token_by_project on token (project_id) where project_id is not null;

    create table audit (
      org_id id not null, id id not null, at timestamptz not null default now(), action text not null, target text,
      actor_kind text not null, actor_id text, actor_name text not null, token_id text, address text, request_id text,
      detail jsonb not null default '{}', primary key (org_id, id));
    create index audit_by_target on audit (org_id, target, id);
    create index audit_by_action on audit (org_id, action, id);
    create function audit_is_append_only() returns trigger language plpgsql as
      'begin raise exception ''the audit log is append-only''; end';
    create trigger audit_is_append_only before update or delete or truncate on audit
      for each statement execute function audit_is_append_only();

    create table idempotency (
      org_id id not null, credential_id id not null, key text not null, request_hash bytea not null,
      claim text not null, status integer, response text, started_at timestamptz not null default now(),
      primary key (org_id, credential_id, key));
    create index idempotency_age on idempotency (started_at);

    create table folder_session (
      id id primary key, org_id id not null references organization on delete cascade,
      project_id id references project on delete cascade, files jsonb not null, file_count integer not null,
      byte_count bigint not null, sealed_at timestamptz, expires_at timestamptz not null,
      created_at timestamptz not null default now());
    create index folder_session_by_org on folder_session (org_id, id);
    create index folder_session_by_project on folder_session (project_id) where project_id is not null;
    create index folder_session_expiry on folder_session (expires_at);

    create table blob (
      org_id id not null references organization on delete cascade, sha256 bytea not null, size bigint not null,
      location text not null unique, touched_at timestamptz not null default now(), primary key (org_id, sha256));
    create index blob_age on blob (org_id, touched_at);

    create table blob_sweep (org_id id primary key references organization on delete cascade, due_at timestamptz not null);
    create index blob_sweep_due on blob_sweep (due_at);
  `.execute(db)
}
