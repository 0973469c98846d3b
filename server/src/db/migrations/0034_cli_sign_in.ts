import { type Kysely, sql } from 'kysely'

/** Requests of command lines to be signed in, and how often codes were tried that nobody was given. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cli_sign_in (
      id id primary key, request_hash bytea not null unique, user_code_hash bytea not null unique, challenge bytea not null,
      name text not null, address text not null, redirect text, status text not null default 'pending',
      org_id id, user_id id, session_id id, scopes text[], project_id id references project on delete cascade,
      code_hash bytea, code_expires_at timestamptz, token_id id, wrong integer not null default 0,
      interval_seconds integer not null default 5, polled_at timestamptz,
      expires_at timestamptz not null, created_at timestamptz not null default now(),
      foreign key (org_id, user_id) references member on delete cascade);
    comment on table cli_sign_in is 'of no organization until somebody approves it; goes with the member who did, and with the project that it was narrowed to';
    create index cli_sign_in_expiry on cli_sign_in (expires_at);
    create index cli_sign_in_by_member on cli_sign_in (org_id, user_id) where org_id is not null;
    create index cli_sign_in_by_project on cli_sign_in (project_id) where project_id is not null;

    create table sign_in_try (key text primary key, count integer not null, since timestamptz not null default now());
    create index sign_in_try_age on sign_in_try (since);
  `.execute(db)
}
