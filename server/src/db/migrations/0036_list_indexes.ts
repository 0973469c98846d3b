import { type Kysely, sql } from 'kysely'

/** Lists of the git host by what they can be filtered by, each in its own order, so that a page reads what it shows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index githost_repository_by_owner on githost_repository (org_id, lower(owner), pushed_at desc, repo_id desc);
    create index githost_repository_owners on githost_repository (org_id, source_key, owner collate "C");
  `.execute(db)
}
