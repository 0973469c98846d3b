import { type Kysely, sql } from 'kysely'

/** At a cloud, the instances that are linked to an organization; at an instance, the link that it has asked a cloud for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table cli_sign_in add column instance_id text;
    comment on column cli_sign_in.instance_id is 'of the instance that asks to be linked; null: a command line';

    create table instance_link (
      id id primary key, org_id id not null references organization on delete cascade,
      token_id id not null unique references token on delete cascade,
      instance_id text not null, name text not null, created_by id not null, created_at timestamptz not null default now());
    comment on table instance_link is 'goes with its token, and so with the member who approved it';
    create index instance_link_list on instance_link (org_id, id desc);

    create table link_attempt (
      org_id id primary key references organization on delete cascade, url text not null, secret text, user_code text not null,
      verify_url text not null, interval_seconds integer not null, ask_at timestamptz not null default now(),
      ended text, begun_by id not null, expires_at timestamptz not null, created_at timestamptz not null default now());
    comment on column link_attempt.secret is 'sealed: the secret of the request and its verifier; null once nothing can be fetched with it';
    comment on column link_attempt.ask_at is 'the cloud is not asked before; while it is asked, a lease on asking';
    create index link_attempt_expiry on link_attempt (expires_at);
  `.execute(db)
}
