import { type Kysely, sql } from 'kysely'

/**
 * Logs of finished deployments leave the hot table. `logs_moved_at` says up to which end of the deployment that was done;
 * a segment without a location stays as the mark of what is gone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deployment add column logs_moved_at timestamptz;
    create index deployment_to_move on deployment (finished_at)
      where finished_at is not null and (logs_moved_at is null or logs_moved_at < finished_at);

    alter table deployment_segment add column last_at timestamptz not null default now();
    alter table deployment_segment add column keep_until timestamptz not null default now();
    create index deployment_segment_due on deployment_segment (keep_until) where location is not null;
    create unique index deployment_segment_location on deployment_segment (location) where location is not null;
  `.execute(db)
}
