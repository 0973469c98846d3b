import { type Kysely, sql } from 'kysely'

/** The connection of organizations to the git host: apps, installations and who may use them, accounts, running connects. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table githost_app (
      id id primary key, org_id id references organization on delete cascade, host text collate "C" not null,
      app_id bigint not null, slug text not null, owner text not null, client_id text not null,
      private_key text, client_secret text, hook_secret text, old_hook_secret text, old_hook_secret_until timestamptz,
      hook_key text collate "C" not null unique, created_at timestamptz not null default now(), unique (host, app_id));
    create index githost_app_by_org on githost_app (org_id, id);
    comment on column githost_app.org_id is 'whose it is; null: of the instance, its secrets are in the configuration';
    comment on column githost_app.hook_key is 'k of the address that its deliveries go to: names the one secret that counts';

    create table githost_installation (
      app id not null references githost_app on delete cascade, installation_id bigint not null,
      account_id bigint not null, account_login text not null, account_type text not null, avatar_url text,
      selection text not null check (selection in ('all', 'selected')), permissions jsonb not null default '{}',
      suspended_at timestamptz, gone_at timestamptz, checked_at timestamptz not null default now(),
      primary key (app, installation_id));
    create index githost_installation_to_check on githost_installation (checked_at) where gone_at is null;

    create table githost_link (
      id id primary key, org_id id not null references organization on delete cascade, app id not null,
      installation_id bigint not null, repo_ids bigint[], proved_by id references person on delete set null,
      proof_login text not null, proof_at timestamptz not null default now(), broken_at timestamptz, reason text,
      foreign key (app, installation_id) references githost_installation on delete cascade,
      unique (org_id, app, installation_id));
    create index githost_link_by_installation on githost_link (app, installation_id);
    comment on table githost_link is 'which organization may use which installation, as far as a person has proved it';
    comment on column githost_link.repo_ids is 'null: all of them, also later ones; otherwise those whose admin the person was';

    create table githost_account (
      id id primary key, org_id id not null references organization on delete cascade,
      kind text not null check (kind in ('oauth', 'cli')), login text not null, avatar_url text,
      token text, refresh_token text, expires_at timestamptz, scopes text[] not null default '{}', client_id text,
      connected_by id references person on delete set null, broken_at timestamptz, reason text,
      created_at timestamptz not null default now(), unique (org_id, kind));
    comment on column githost_account.kind is 'cli: only the choice; the token is asked of the program at each use';

    create table githost_attempt (
      id id primary key, org_id id not null references organization on delete cascade,
      user_id id not null references person on delete cascade,
      kind text not null check (kind in ('install', 'manifest', 'oauth', 'device', 'cloud')),
      status text not null default 'started'
        check (status in ('started', 'returned', 'proved', 'bound', 'denied', 'expired', 'failed')),
      reason text, start_hash bytea unique, state_hash bytea unique, cookie_hash bytea, secret text,
      app id references githost_app on delete cascade, installation_id bigint, account text, login text,
      user_code text, verification_uri text, interval_seconds integer, poll_at timestamptz,
      created_at timestamptz not null default now(), expires_at timestamptz not null, ended_at timestamptz);
    create index githost_attempt_newest on githost_attempt (org_id, user_id, id desc);
    create index githost_attempt_to_poll on githost_attempt (poll_at) where poll_at is not null;
    create index githost_attempt_old on githost_attempt (expires_at);
    comment on column githost_attempt.secret is 'sealed: the verifier or the device code; erased at the end';
    comment on column githost_attempt.start_hash is 'of the nonce in the address of our own page';

    create table githost_limit (source_key text collate "C" primary key, blocked_until timestamptz not null);
    comment on table githost_limit is 'sources that the host wants to be left alone, obeyed by all processes';
  `.execute(db)
}
