import { type Kysely, sql } from 'kysely'

/** Where branches stand at the host, what the host told us about them, and what it is still to be told. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table githost_head (
      org_id id not null references organization on delete cascade, host text collate "C" not null,
      repo_id bigint not null, ref text collate "C" not null, sha text, seq bigint not null default 0,
      dirty_at timestamptz, hook_at timestamptz, poll_at timestamptz,
      primary key (org_id, host, repo_id, ref));
    create index githost_head_dirty on githost_head (dirty_at) where dirty_at is not null;
    create index githost_head_to_poll on githost_head (poll_at) where poll_at is not null;
    create index githost_head_by_repo on githost_head (repo_id, host);
    comment on column githost_head.seq is 'counts moves: with organization, repository and ref the key of every decision';
    comment on column githost_head.sha is 'null: the branch is gone, or was never seen';

    create table githost_delivery (
      id id primary key, org_id id references organization on delete cascade, hook_key text collate "C" not null,
      guid text collate "C" not null, via text not null default 'delivery'
        check (via in ('delivery', 'poll', 'replay', 'run')),
      event text not null, action text, repo_id bigint, repository text, ref text, before text, after text, pusher text,
      project_id id, received_at timestamptz not null default now(), decided_at timestamptz,
      decision text check (decision in ('deployed', 'coalesced', 'skipped', 'ignored', 'known', 'waiting', 'failed')),
      reason text, deployment_id id, attempts integer not null default 0, body text,
      unique (hook_key, guid));
    create index githost_delivery_by_org on githost_delivery (org_id, id desc);
    create index githost_delivery_by_repo on githost_delivery (org_id, repo_id, received_at desc);
    create index githost_delivery_open on githost_delivery (repo_id, ref) where decided_at is null;
    create index githost_delivery_bodies on githost_delivery (received_at) where body is not null;
    create index githost_delivery_old on githost_delivery (received_at);
    comment on column githost_delivery.org_id is 'null: of no organization, or of several that linked the repository';

    create table githost_report (
      deployment_id id primary key, org_id id not null references organization on delete cascade, project_id id not null,
      repo_id bigint not null, sha text not null, state text not null, sent_state text, host_deployment_id bigint,
      attempts integer not null default 0, send_at timestamptz, updated_at timestamptz not null default now());
    create index githost_report_due on githost_report (send_at) where send_at is not null;
    comment on table githost_report is 'outbox: what the host is told of a deployment; the newest state wins';
  `.execute(db)
}
