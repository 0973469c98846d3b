import { type Kysely, sql } from 'kysely'

/**
 * Who and what else was part of a deployment's story, so that a list shows it without asking for more: what took its place, who decided or
 * cancelled, since when it serves, how many lines it printed. Of what ended before nothing of that is known. Lists by how and by whom it
 * was begun read what they show.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deployment add column superseded_by id, add column decided_by jsonb, add column cancelled_by jsonb,
      add column activated_at timestamptz, add column log_lines bigint;
    update deployment set activated_at = finished_at where active;
    create index deployment_by_trigger on deployment (org_id, trigger, id);
    create index deployment_by_creator on deployment (org_id, (created_by ->> 'name'), id);
  `.execute(db)
}
