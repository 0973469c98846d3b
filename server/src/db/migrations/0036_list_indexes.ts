import { type Kysely, sql } from 'kysely'

/**
 * Lists of the git host by what they can be filtered by, each in its own order, so that a page reads what it shows; and what runs on
 * a server by the engine that it was brought up on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index githost_delivery_by_project on githost_delivery (org_id, project_id, id) where project_id is not null;
    create index githost_delivery_by_name on githost_delivery (org_id, lower(repository), id) where repository is not null;
    create index githost_delivery_by_decision on githost_delivery (org_id, decision, id) where decision is not null;
    create index githost_repository_by_owner on githost_repository (org_id, lower(owner), pushed_at desc, repo_id desc);
    create index githost_repository_owners on githost_repository (org_id, source_key, owner collate "C");
    create index deployment_active_engine on deployment (server_id, engine_id) where active;
  `.execute(db)
}
