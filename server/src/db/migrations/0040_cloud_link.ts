import { type Kysely, sql } from 'kysely'

/** The cloud that an organization of this instance works with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cloud_link (
      org_id id primary key references organization on delete cascade,
      url text not null, link_id id not null, cloud_org_id id not null, cloud_org_name text not null,
      credential text not null, linked_by id not null, created_at timestamptz not null default now());
    comment on column cloud_link.url is 'where the cloud was when it was linked; another address is another cloud';
    comment on column cloud_link.link_id is 'as the cloud calls it';
    comment on column cloud_link.credential is 'sealed';
  `.execute(db)
}
