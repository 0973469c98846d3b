import type { MountGrant } from '@slipway/contract/migration'
import type { Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'

export type GrantRow = Selectable<Tables['mountGrant']>
/** A project that was looked up with its organization. */
type Owner = { id: string; orgId: string }

const MOST_LISTED = 1000

/** The newest first; those that were revoked, too. */
export const list = (db: Queryable, project: Owner) =>
  db
    .selectFrom('mountGrant')
    .selectAll()
    .where('orgId', '=', project.orgId)
    .where('projectId', '=', project.id)
    .orderBy('id', 'desc')
    .limit(MOST_LISTED)
    .execute()

/** Those that hold now. */
export const alive = (db: Queryable, orgId: string, projectId: string) =>
  db
    .selectFrom('mountGrant')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('projectId', '=', projectId)
    .where('revokedAt', 'is', null)
    .execute()

/** What other projects may write to of these, on this server. */
export const takenByOthers = (db: Queryable, serverId: string, wanted: { kind: string; source: string }[]) =>
  wanted.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('mountGrant')
        .innerJoin('project', 'project.id', 'mountGrant.projectId')
        .select(['mountGrant.source', 'mountGrant.kind', 'project.name as projectName', 'mountGrant.writable'])
        .where('mountGrant.serverId', '=', serverId)
        .where('mountGrant.revokedAt', 'is', null)
        .where(
          sql<boolean>`(mount_grant.kind, mount_grant.source) in (${sql.join(wanted.map(({ kind, source }) => sql`(${kind}, ${source})`))})`,
        )
        .execute()

export async function insert(db: Queryable, grants: Insertable<Tables['mountGrant']>[]): Promise<void> {
  if (grants.length > 0) await db.insertInto('mountGrant').values(grants).execute()
}

/** Nothing comes back where there is none that holds. */
export const revoke = (db: Queryable, project: Owner, id: string, by: string) =>
  db
    .updateTable('mountGrant')
    .set({ revokedAt: sql`now()`, revokedBy: by })
    .where('orgId', '=', project.orgId)
    .where('projectId', '=', project.id)
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()

export const shape = (row: GrantRow): MountGrant => ({
  id: row.id,
  serverId: row.serverId,
  kind: row.kind,
  source: row.source,
  writable: row.writable,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  revokedBy: row.revokedBy,
  revokedAt: row.revokedAt?.toISOString() ?? null,
})
