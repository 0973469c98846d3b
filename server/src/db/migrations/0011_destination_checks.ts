import { type Kysely, sql } from 'kysely'

/**
 * Every destination is looked at in the background, also when nobody has tried it yet. Only an SFTP server without a pinned
 * key waits for someone: it is not in the index of what may be due. What a look found is kept unless the way to the
 * destination has changed since; a new name is no other way.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table backup_destination add column reach_version integer not null default 1,
      alter column next_verify_at set default now() + interval '5 minutes' + random() * interval '55 minutes';
    comment on column backup_destination.reach_version is 'rises when the way there changes, or a secret';
    update backup_destination set next_verify_at = now() + random() * interval '1 day'
      where next_verify_at is null and (kind <> 'sftp' or host_key is not null);
    drop index backup_destination_due;
    create index backup_destination_due on backup_destination (next_verify_at)
      where kind <> 'sftp' or host_key is not null;
  `.execute(db)
}
