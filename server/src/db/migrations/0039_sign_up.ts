import { type Kysely, sql } from 'kysely'

/** People who asked a cloud for an account and have not typed the code yet that was sent to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sign_up (
      id id primary key, request_hash bytea not null unique, code_hash bytea not null, email text not null,
      network text not null, tries integer not null default 0, used_at timestamptz,
      expires_at timestamptz not null, created_at timestamptz not null default now());
    comment on table sign_up is 'of no organization: whoever signs up has none yet';
    create index sign_up_by_email on sign_up (email, created_at);
    create index sign_up_by_network on sign_up (network, created_at);
    create index sign_up_age on sign_up (created_at);
  `.execute(db)
}
