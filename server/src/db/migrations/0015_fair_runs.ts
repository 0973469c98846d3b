import { type Kysely, sql } from 'kysely'

/**
 * Organizations share the workers: how urgent a run is, how many of an organization are open (which says how far back in
 * the line its next one stands), and runs that rest until a moment or until a place is free.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table run add column urgency smallint not null default 0, add column wake_at timestamptz;
    alter table run_limit add column most integer, add column kept boolean not null default false;
    create index run_open_by_org on run (org_id) where status in ('queued', 'running');
    create index run_resting on run (wake_at) where status = 'parked' and wake_at is not null;
    comment on column run.urgency is '0: usual, 1: short, 2: somebody is waiting for it in an emergency; 1 and 2 have workers of their own';
    comment on column run.wake_at is 'parked by itself, and goes on then; null for one that waits for an answer';
    comment on column run_limit.most is 'how many may hold the name at once';
    comment on column run_limit.kept is 'its run is parked, or is about to go on, and comes back for it';
  `.execute(db)
}
