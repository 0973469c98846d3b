import { type Kysely, sql } from 'kysely'

/** Where backups go. A server that is removed leaves its destination behind, which then says so. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table backup_destination (
      id id primary key, org_id id not null references organization on delete cascade, name text not null,
      name_key text collate "C" not null,
      kind text not null check (kind in ('s3_compatible', 'sftp', 'platform_server', 'local')),
      endpoint text, bucket text, region text, force_path_style boolean,
      ssh_host text, ssh_port integer, ssh_user text, host_key text,
      server_id id references server on delete set null, path_prefix text, is_default boolean not null default false,
      access_key_id text, secret_access_key text, sftp_password text, sftp_private_key text, sftp_key_passphrase text,
      last_verified_at timestamptz, last_verify_error text, last_verify_steps jsonb, broken_since timestamptz,
      next_verify_at timestamptz, version integer not null default 1,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now());
    create index backup_destination_by_org on backup_destination (org_id, id);
    create unique index backup_destination_name on backup_destination (org_id, name_key);
    create unique index backup_destination_default on backup_destination (org_id) where is_default;
    create index backup_destination_by_server on backup_destination (server_id) where server_id is not null;
    create index backup_destination_due on backup_destination (next_verify_at) where next_verify_at is not null;
    comment on column backup_destination.name_key is 'the name as names are compared: normalized, lower case';
    comment on column backup_destination.next_verify_at is 'when the background looks at it again';
    comment on column backup_destination.broken_since is 'the first failed preflight since one succeeded';
  `.execute(db)
}
