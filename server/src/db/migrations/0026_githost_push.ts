import { type Kysely, sql } from 'kysely'

/** From a push to a deployment: what a head waits for, how far projects are decided, who hears deliveries. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table githost_head add column ask boolean not null default false, add column asked_at timestamptz,
      add column moved_at timestamptz, add column silent_at timestamptz,
      add column polled_at timestamptz, add column poll_every integer not null default 60, add column poller text collate "C";
    comment on column githost_head.ask is 'something says that it moved: the host is to be asked';
    comment on column githost_head.silent_at is 'when a move was found that nobody had told us of';
    comment on column githost_head.poller is 'the process that polled it last: it has the tokens';

    alter table githost_delivery add column seq bigint, add column message text;
    drop index githost_delivery_open;
    create index githost_delivery_open on githost_delivery (org_id, repo_id, ref) where decided_at is null;
    comment on column githost_delivery.guid is 'the host''s id, the organization, and the project where it concerns several';
    comment on column githost_delivery.seq is 'of the head, once the move is taken into account';

    create index githost_report_by_project on githost_report (project_id, deployment_id);
    create index githost_report_old on githost_report (updated_at);

    alter table githost_app add column heard_at timestamptz;
    alter table githost_hook add column heard_at timestamptz;
    alter table project add column head_ref text collate "C";
    comment on column project.head_ref is 'which branch head_seq is about; null: another one than before';
    create index project_to_follow on project (id) where githost_repo_id is not null and head_ref is null;
  `.execute(db)
}
