import { type Kysely, sql } from 'kysely'

/** What one person did, and what nobody did but the instance itself: of "is null" PostgreSQL would not take the order of the index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index audit_by_actor on audit (org_id, (coalesce(actor_id, 'system')), id)`.execute(db)
}
