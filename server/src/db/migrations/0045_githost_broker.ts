import { type Kysely, sql } from 'kysely'

/** At a cloud, connects that a linked instance has begun; at an instance, the app of the cloud that its organization is linked to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table githost_app add column via text not null default 'own' check (via in ('own', 'cloud'));
    alter table githost_app alter column app_id drop not null;
    create unique index githost_app_of_cloud on githost_app (org_id, host) where via = 'cloud';
    comment on column githost_app.via is 'cloud: stands for the app of the hosted cloud, which makes the tokens; there is no key here';
    comment on column githost_app.app_id is 'null: of the hosted cloud; several organizations here may use the same one';

    alter table githost_attempt add column link_id id references instance_link on delete cascade, add column return_to text;
    create index githost_attempt_by_link on githost_attempt (link_id) where link_id is not null;
    comment on column githost_attempt.link_id is 'the instance that has begun it; null: a member';
    comment on column githost_attempt.return_to is 'sealed: where the browser goes at the end, with the state of that instance';
  `.execute(db)
}
