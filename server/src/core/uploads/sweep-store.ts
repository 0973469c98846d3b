import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/**
 * Takes an organization whose contents are due to be looked at. It is due again soon, unless `settle` says otherwise:
 * a process that dies on the way is simply followed by another.
 */
export async function takeDue(db: Queryable): Promise<{ orgId: string; dueAt: Date } | undefined> {
  const { rows } = await sql<{ orgId: string; dueAt: Date }>`
    update blob_sweep set due_at = date_trunc('milliseconds', now() + interval '15 minutes') where org_id = (
      select org_id from blob_sweep where due_at <= now() order by due_at limit 1 for update skip locked)
    returning org_id, due_at`.execute(db)
  return rows[0]
}

/** Does nothing when the organization was noted again since it was taken. */
export async function settle(db: Queryable, taken: { orgId: string; dueAt: Date }, minutes: number): Promise<void> {
  await sql`
    update blob_sweep set due_at = now() + make_interval(mins => ${minutes}::int)
    where org_id = ${taken.orgId} and due_at = ${taken.dueAt}`.execute(db)
}

export type Unused = { sha256: Buffer; ripe: boolean; cutoff: Date }

/**
 * Contents that no session of the organization names, the oldest first; ripe when they were not used for an hour.
 * By `except`, because PostgreSQL cannot guess how many files a session has and would compare each with each.
 */
export async function findUnused(db: Queryable, orgId: string, limit: number): Promise<Unused[]> {
  const { rows } = await sql<Unused>`
    with unused as materialized (
      select sha256 from blob where org_id = ${orgId}
      except
      select decode(file ->> 'h', 'hex') from folder_session s cross join jsonb_array_elements(s.files) file
      where s.org_id = ${orgId} and file ? 'h')
    select sha256, touched_at < now() - interval '1 hour' as ripe, now() - interval '1 hour' as cutoff
    from unused join blob using (sha256) where blob.org_id = ${orgId}
    order by touched_at limit ${limit}`.execute(db)
  return rows
}

/**
 * Deletes those of them that were still not used since. Whoever announced one after the search has marked it as used in
 * the same transaction, so asking for the mark again is enough; and what someone holds right now is passed over.
 */
export async function deleteUnused(db: Queryable, orgId: string, hashes: Buffer[], cutoff: Date): Promise<string[]> {
  const { rows } = await sql<{ location: string }>`
    with old as (
      select sha256 from blob where org_id = ${orgId} and sha256 = any(${hashes}::bytea[]) and touched_at < ${cutoff}
      for update skip locked)
    delete from blob using old where blob.org_id = ${orgId} and blob.sha256 = old.sha256
    returning blob.location`.execute(db)
  return rows.map((row) => row.location)
}
