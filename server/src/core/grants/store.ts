import type { MountGrant } from '@slipway/contract/migration'
import type { Page, PageQuery } from '@slipway/contract/pages'
import type { Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import { startOf, toPage } from '../page.ts'

export type GrantRow = Selectable<Tables['mountGrant']>
/** A project that was looked up with its organization. */
type Owner = { id: string; orgId: string }

/** The newest first; those that were revoked, too. */
export async function list(db: Queryable, project: Owner, query: PageQuery): Promise<Page<MountGrant>> {
  const rows = await db
    .selectFrom('mountGrant')
    .selectAll()
    .where('orgId', '=', project.orgId)
    .where('projectId', '=', project.id)
    .where('id', '<', startOf(query))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return toPage(rows, query, (row) => row.id, shape)
}

/** Those that hold now. */
export const alive = (db: Queryable, orgId: string, projectId: string) =>
  db
    .selectFrom('mountGrant')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('projectId', '=', projectId)
    .where('revokedAt', 'is', null)
    .execute()

/** Of two who want the same of a server at once, one is first. */
export const lockServer = (db: Queryable, orgId: string, serverId: string) =>
  db.selectFrom('server').select('id').where('orgId', '=', orgId).where('id', '=', serverId).forUpdate().execute()

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

const shape = (row: GrantRow): MountGrant => ({
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
