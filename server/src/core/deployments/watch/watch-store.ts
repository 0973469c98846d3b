import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

export type WatchedRelease = {
  id: string
  orgId: string
  projectId: string
  serverId: string
  engineId: string | null
  release: string | null
  tookOver: string | null
  over: boolean
  /** It should have been over for so long that nobody waits for a look any more. */
  stale: boolean
}

/** Releases that are being watched and are still the ones that serve, but not those of some organizations. */
export async function releasesToWatch(db: Queryable, most: number, except: string[]): Promise<WatchedRelease[]> {
  const { rows } = await sql<WatchedRelease>`
    select id, org_id, project_id, server_id, engine_id, release, took_over, bake_until <= statement_timestamp() as over,
      bake_until <= statement_timestamp() - interval '1 day' as stale
    from deployment where bake_until is not null and org_id <> all(${except}) order by bake_until limit ${most}`.execute(
    db,
  )
  return rows
}

/** From now on it is watched for that long. */
export async function startWatch(db: Queryable, id: string, seconds: number, tookOver: string | null): Promise<void> {
  await sql`
    update deployment set took_over = ${tookOver}, bake_until = case when ${seconds}::int > 0
      then clock_timestamp() + ${seconds}::int * interval '1 second' end
    where id = ${id}`.execute(db)
}

/** Nobody watches any release of the project any more. */
export async function stopWatch(db: Queryable, projectId: string): Promise<void> {
  await sql`update deployment set bake_until = null where project_id = ${projectId} and bake_until is not null`.execute(
    db,
  )
}
