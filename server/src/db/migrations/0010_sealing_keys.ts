import { type Kysely, sql } from 'kysely'

/**
 * Which keys the values of the whole database are sealed with: a process can tell at its start whether it could open them,
 * without looking at any.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sealing_key (
      id text collate "C" primary key, used_at timestamptz not null default now(), retiring_since timestamptz);
    comment on column sealing_key.used_at is 'when a process last said that it seals with this key';
    comment on column sealing_key.retiring_since is 'since when what it sealed is being sealed anew with another key';
  `.execute(db)
  // What was sealed before there was this table. A value begins with its form and the id of its key.
  await sql`
    insert into sealing_key (id, used_at) select distinct split_part(start, '.', 2), '-infinity'::timestamptz from (
      select left(value, 12) as start from variable
      union select left(git_credential, 12) from project where git_credential is not null
      union select left(private_key, 12) from server where private_key is not null
      union select left(passphrase, 12) from server where passphrase is not null
      union select left(release, 12) from deployment where release is not null
      union select left(response, 12) from idempotency where response is not null) as sealed
    where start ~ '^v1[.][0-9a-f]{8}[.]'`.execute(db)
}
