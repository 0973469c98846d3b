import { type Kysely, sql } from 'kysely'

/**
 * How much each organization has uploaded, counted as it comes and goes: adding up all of its contents for each that arrives takes the
 * longer the more there are. By triggers, so that whoever writes counts, builds of before included. In shards by connection, so that
 * contents that arrive at once do not wait for each other's commit.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table organization_upload (
      org_id id not null references organization on delete cascade, shard smallint not null, bytes bigint not null,
      primary key (org_id, shard));
    comment on table organization_upload is 'together the sizes in blob; one shard alone may be negative';

    create function count_uploaded() returns trigger language plpgsql as $$
      begin
        insert into organization_upload (org_id, shard, bytes)
          select org_id, pg_backend_pid() % 16, sum(size) from changed group by org_id order by org_id
          on conflict (org_id, shard) do update set bytes = organization_upload.bytes + excluded.bytes;
        return null;
      end $$;
    create function count_removed() returns trigger language plpgsql as $$
      begin
        -- Of an organization that goes, all of this goes as well.
        insert into organization_upload (org_id, shard, bytes)
          select org_id, pg_backend_pid() % 16, -sum(size) from changed
          where exists (select 1 from organization o where o.id = changed.org_id) group by org_id order by org_id
          on conflict (org_id, shard) do update set bytes = organization_upload.bytes + excluded.bytes;
        return null;
      end $$;
    create trigger count_uploaded after insert on blob
      referencing new table as changed for each statement execute function count_uploaded();
    create trigger count_removed after delete on blob
      referencing old table as changed for each statement execute function count_removed();

    insert into organization_upload (org_id, shard, bytes) select org_id, 0, sum(size) from blob group by org_id;
  `.execute(db)
}
