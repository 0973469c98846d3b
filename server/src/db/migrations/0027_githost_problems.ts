import { type Kysely, sql } from 'kysely'

/** A project says that its repository is another one by now, or not seen any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table project add column githost_problem text collate "C"
      check (githost_problem in ('replaced', 'not_seen'));
    comment on column project.githost_problem is 'what polling found about its repository at the git host; null: nothing';
  `.execute(db)
}
