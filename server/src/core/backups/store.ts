import type { BackupDestination, VerifiedStep } from '@slipway/contract/backup-destinations'
import type { Page, PageQuery } from '@slipway/contract/pages'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queryable, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import { startOf, toPage } from '../page.ts'

export type DestinationRow = Selectable<Tables['backupDestination']>

export async function list(db: Queryable, orgId: string, query: PageQuery): Promise<Page<BackupDestination>> {
  const rows = await db
    .selectFrom('backupDestination')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '<', startOf(query))
    .orderBy('id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return toPage(rows, query, (row) => row.id, shape)
}

export const find = (db: Queryable, orgId: string, id: string) =>
  db.selectFrom('backupDestination').selectAll().where('orgId', '=', orgId).where('id', '=', id).executeTakeFirst()

/** Changes of an organization's destinations follow one another: names and the default are then simply looked up. */
export async function takeTurn(tx: Tx, orgId: string): Promise<void> {
  await tx.selectFrom('organization').select('id').where('id', '=', orgId).forNoKeyUpdate().execute()
}

export async function hasName(db: Queryable, orgId: string, nameKey: string, except: string | null): Promise<boolean> {
  const row = await db
    .selectFrom('backupDestination')
    .select('id')
    .where('orgId', '=', orgId)
    .where('nameKey', '=', nameKey)
    .executeTakeFirst()
  return row !== undefined && row.id !== except
}

export async function clearDefault(tx: Tx, orgId: string, except: string): Promise<void> {
  await tx
    .updateTable('backupDestination')
    .set({ isDefault: false, version: sql`version + 1`, updatedAt: sql`now()` })
    .where('orgId', '=', orgId)
    .where('isDefault', '=', true)
    .where('id', '<>', except)
    .execute()
}

export const insert = (db: Queryable, row: Insertable<Tables['backupDestination']>) =>
  db.insertInto('backupDestination').values(row).returningAll().executeTakeFirstOrThrow()

export const update = (
  db: Queryable,
  orgId: string,
  id: string,
  ifMatch: number | null,
  changes: Updateable<Tables['backupDestination']>,
) =>
  db
    .updateTable('backupDestination')
    .set({ ...changes, version: sql`version + 1`, updatedAt: sql`now()` })
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .where((eb) => (ifMatch === null ? eb.lit(true) : eb('version', '=', ifMatch)))
    .returningAll()
    .executeTakeFirst()

export async function remove(db: Queryable, orgId: string, id: string): Promise<void> {
  await db.deleteFrom('backupDestination').where('orgId', '=', orgId).where('id', '=', id).execute()
}

export type Found = { error: string | null; steps: VerifiedStep[]; hostKey: string | null; nextVerifyAt: Date | null }

/** What was found is about the destination as it was read: it is dropped when somebody changed it meanwhile. */
export async function saveFound(db: Queryable, row: DestinationRow, found: Found): Promise<boolean> {
  const ok = found.error === null
  const { numUpdatedRows } = await db
    .updateTable('backupDestination')
    .set({
      lastVerifyError: found.error,
      lastVerifySteps: JSON.stringify(found.steps),
      nextVerifyAt: found.nextVerifyAt,
      ...(ok ? { lastVerifiedAt: sql`now()`, brokenSince: null } : { brokenSince: sql`coalesce(broken_since, now())` }),
      ...(ok && found.hostKey !== null && { hostKey: sql`coalesce(host_key, ${found.hostKey}::text)` }),
    })
    .where('orgId', '=', row.orgId)
    .where('id', '=', row.id)
    .where('version', '=', row.version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Takes the next that are due, and leaves them to others again if this process does not come back for them. */
export async function takeDue(db: Queryable, limit: number, leaseMinutes: number): Promise<DestinationRow[]> {
  return db
    .updateTable('backupDestination')
    .set({ nextVerifyAt: sql<Date>`now() + make_interval(mins => ${leaseMinutes})` })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('backupDestination')
        .select('id')
        .where('nextVerifyAt', '<=', sql<Date>`now()`)
        .orderBy('nextVerifyAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()
}

export function shape(row: DestinationRow): BackupDestination {
  const { id, name, kind, endpoint, bucket, region, forcePathStyle, sshHost, sshPort, sshUser, hostKey } = row
  return {
    ...{ id, name, kind, endpoint, bucket, region, forcePathStyle, sshHost, sshPort, sshUser, hostKey },
    serverId: row.serverId,
    pathPrefix: row.pathPrefix,
    isDefault: row.isDefault,
    hasAccessKeyId: row.accessKeyId !== null,
    hasSecretAccessKey: row.secretAccessKey !== null,
    hasSftpPassword: row.sftpPassword !== null,
    hasSftpPrivateKey: row.sftpPrivateKey !== null,
    hasSftpKeyPassphrase: row.sftpKeyPassphrase !== null,
    lastVerifiedAt: row.lastVerifiedAt?.toISOString() ?? null,
    lastVerifyError: row.lastVerifyError,
    lastVerifySteps: row.lastVerifySteps,
    brokenSince: row.brokenSince?.toISOString() ?? null,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
