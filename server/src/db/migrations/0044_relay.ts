import { type Kysely, sql } from 'kysely'

/** At a cloud, deliveries of the git host that linked instances are still to hear of; at an instance, how far it has heard. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table instance_link add column relayed bigint not null default 0, add column stream_id uuid;
    comment on column instance_link.relayed is 'the newest number that was given; taken with the row, so that they have no gaps';
    comment on column instance_link.stream_id is 'the one stream that is served: a newer one takes its place';

    create table relay_delivery (
      link_id id not null references instance_link on delete cascade, number bigint not null,
      guid text collate "C" not null, event text not null, said jsonb not null, created_at timestamptz not null default now(),
      primary key (link_id, number), unique (link_id, guid));
    create index relay_delivery_old on relay_delivery (created_at);
    comment on column relay_delivery.said is 'what is used of the delivery, and nothing else of its body';

    alter table cloud_link add column relay_seen bigint not null default 0, add column relay_at timestamptz,
      add column relay_state text check (relay_state in ('following', 'waiting', 'refused')),
      add column relay_since timestamptz, add column relay_claim uuid, add column relay_until timestamptz;
    comment on column cloud_link.relay_seen is 'the newest number that was taken, in the transaction that took it';
    comment on column cloud_link.relay_until is 'a lease: until then the process with relay_claim follows this link';
  `.execute(db)
}
