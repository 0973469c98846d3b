import { type Kysely, sql } from 'kysely'

/**
 * Writes on their way to a hosted cloud. A row is there before one is sent and goes when it is known what came of it: what is left is asked
 * about, for it may have made or removed a deployment there. And deployments there whose state may be another one by now.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cloud_write (
      id id primary key, org_id id not null references organization on delete cascade,
      project_id id not null references project on delete cascade, deployment_id id not null,
      begun_at timestamptz not null default now(),
      ask_at timestamptz not null default now() + interval '3 minutes');
    create index cloud_write_due on cloud_write (ask_at);
    create index cloud_write_by_org on cloud_write (org_id);
    create index cloud_write_by_project on cloud_write (project_id);
    create index cloud_deployment_open on cloud_deployment (org_id, id)
      where active or (shown #>> '{timing,finishedAt}') is null;
    comment on column cloud_write.ask_at is 'later than any answer comes; at once where the answer was lost';
  `.execute(db)
}
