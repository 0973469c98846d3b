import { type Kysely, sql } from 'kysely'

/**
 * Builds of two versions work beside each other while one replaces the other: the floor says which are too old for this
 * schema, each build says that it is there, and a run says which version of its kind it was begun as.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table schema_floor (only_one boolean primary key default true check (only_one), floor text collate "C" not null);
    insert into schema_floor (floor) values ('0012_path_prefixes');
    comment on column schema_floor.floor is 'the newest migration that a build must know to work on this schema';

    create table build_in_use (schema text collate "C" primary key, used_at timestamptz not null default now());
    comment on table build_in_use is 'which builds work on this database, by the newest migration that they know';

    alter table run add column version integer not null default 1;
    comment on column run.version is 'of its kind when it was begun: only builds that know it claim it';
  `.execute(db)
}
