import type { BackupDestination, VerifiedStep } from '@slipway/contract/backup-destinations'
import type { Page, PageQuery } from '@slipway/contract/pages'
import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely'
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

/** For the operator's commands alone, which know no organization. */
export const anywhere = (db: Queryable, id: string) =>
  db.selectFrom('backupDestination').selectAll().where('id', '=', id).executeTakeFirst()

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
  changes: UpdateObject<Tables, 'backupDestination'>,
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

/** Nothing is known about a way that has changed; it is looked at as soon as a new one. */
export const UNVERIFIED = {
  lastVerifiedAt: null,
  lastVerifyError: null,
  lastVerifySteps: null,
  brokenSince: null,
  nextVerifyAt: sql<Date>`default`,
  reachVersion: sql<number>`reach_version + 1`,
}

export type Found = { error: string | null; steps: VerifiedStep[]; hostKey: string | null; nextVerifyAt: Date }

/** What was found is about the way that was tried: it is dropped when that was changed meanwhile. */
export async function saveFound(tx: Tx, row: DestinationRow, found: Found): Promise<boolean> {
  // Not between what a change has read and what it writes.
  await takeTurn(tx, row.orgId)
  const ok = found.error === null
  const { numUpdatedRows } = await tx
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
    .where('reachVersion', '=', row.reachVersion)
    // A server that is removed goes from here without a word.
    .where('serverId', 'is not distinct from', row.serverId)
    // Of two who learn at once, the other one may have met another machine.
    .where((eb) =>
      found.hostKey === null ? eb.lit(true) : eb.or([eb('hostKey', 'is', null), eb('hostKey', '=', found.hostKey)]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** As the index of what may be due says it: a key that nobody has confirmed is not learned behind everyone's back. */
const CONFIRMED = sql<boolean>`(kind <> 'sftp' or host_key is not null)`

/** The next that are due, but not those of some organizations. */
export const due = (db: Queryable, limit: number, except: string[]): Promise<{ id: string; orgId: string }[]> =>
  db
    .selectFrom('backupDestination')
    .select(['id', 'orgId'])
    .where(CONFIRMED)
    .where('nextVerifyAt', '<=', sql<Date>`now()`)
    .where(sql<boolean>`org_id <> all(${except})`)
    .orderBy('nextVerifyAt')
    .limit(limit)
    .execute()

/** Takes those of them that are still due, and leaves them to others again if this process does not come back for them. */
export async function take(db: Queryable, ids: string[], leaseMinutes: number): Promise<DestinationRow[]> {
  if (ids.length === 0) return []
  return db
    .updateTable('backupDestination')
    .set({ nextVerifyAt: sql<Date>`now() + make_interval(mins => ${leaseMinutes})` })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('backupDestination')
        .select('id')
        .where('id', 'in', ids)
        .where('nextVerifyAt', '<=', sql<Date>`now()`)
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
