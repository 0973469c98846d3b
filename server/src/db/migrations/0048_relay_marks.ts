import { type Kysely, sql } from 'kysely'

/**
 * With each number that a cloud gives to something relayed a mark is drawn at random. A cloud that was restored from a backup gives
 * numbers again: who comes back with the mark of another history has missed what was told in this one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table instance_link add column relayed_mark uuid;
    alter table relay_delivery add column mark uuid, add column before_mark uuid;
    alter table cloud_link add column relay_mark uuid;
    comment on column instance_link.relayed_mark is 'drawn with the newest number; null: of before there were any';
    comment on column relay_delivery.before_mark is 'of the number before this one, which may be forgotten already';
    comment on column cloud_link.relay_mark is 'of relay_seen; null: not known';
  `.execute(db)
}
