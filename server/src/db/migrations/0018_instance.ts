import { type Kysely, sql } from 'kysely'

/**
 * Who this installation is, and which database it has been living in: a copy, a restored backup and a promoted replica
 * look the same from inside, but engines and files remember what they do not. And when each server is compared next
 * with what is written down about it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table instance (
      only_one boolean primary key default true check (only_one), id id not null, made_at timestamptz not null default now(),
      database text not null, timeline integer, went_back_at timestamptz, data_dir_marked boolean not null default false);
    comment on table instance is 'one row, made by the first process that serves';
    comment on column instance.id is 'also in the data directory and on the mark of every engine';
    comment on column instance.database is 'cluster, database and table that this row was made in: another one holds a copy';
    comment on column instance.timeline is 'of PostgreSQL: it changes when a replica is promoted or a backup restored';
    comment on column instance.went_back_at is 'when it was last seen that the newest transactions may be lost';
    comment on column instance.data_dir_marked is 'a data directory bears the id: one without it is another one';

    alter table server add column compare_at timestamptz not null default now();
    create index server_to_compare on server (compare_at);
    comment on column server.compare_at is 'when to look next whether its engine has what is written down';
  `.execute(db)
}
