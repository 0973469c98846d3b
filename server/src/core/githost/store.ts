import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queryable, Tx } from '../../db/database.ts'
import { deleteOld } from '../../db/delete-old.ts'
import type { Tables } from '../../db/tables.ts'
import type { HostInstallation } from '../../drivers/githost/githost.ts'

export type AppRow = Selectable<Tables['githostApp']>
export type AccountRow = Selectable<Tables['githostAccount']>
export type LinkRow = Awaited<ReturnType<typeof links>>[number]

/** Apps that an organization may name: its own, and those of the instance; of the cloud's there is a row that says so. */
export const apps = (db: Queryable, orgId: string, host: string) =>
  db
    .selectFrom('githostApp')
    .selectAll()
    .where('host', '=', host)
    .where((eb) => eb.or([eb('orgId', '=', orgId), eb('orgId', 'is', null)]))
    .orderBy('id', 'desc')
    .execute()

export const findApp = async (db: Queryable, orgId: string, id: string): Promise<AppRow | undefined> =>
  db
    .selectFrom('githostApp')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.or([eb('orgId', '=', orgId), eb('orgId', 'is', null)]))
    .executeTakeFirst()

/** Of one that exists already, the row stays: its hook's address is known to the host. */
export const keepApp = (db: Queryable, row: Insertable<Tables['githostApp']>) =>
  db
    .insertInto('githostApp')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['host', 'appId']).doUpdateSet({ slug: row.slug, clientId: row.clientId }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()

export const lockApp = (tx: Tx, { id }: AppRow): Promise<AppRow> =>
  tx.selectFrom('githostApp').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()

type AppSecrets = Pick<
  Updateable<Tables['githostApp']>,
  'privateKey' | 'hookSecret' | 'oldHookSecret' | 'oldHookSecretUntil'
>

export const saveAppSecrets = (tx: Tx, { id }: AppRow, secrets: AppSecrets) =>
  tx.updateTable('githostApp').set(secrets).where('id', '=', id).execute()

/** Secrets that nobody signs with any more. */
export const sweepSecrets = (db: Queryable) =>
  db
    .updateTable('githostApp')
    .set({ oldHookSecret: null, oldHookSecretUntil: null })
    .where('oldHookSecretUntil', '<', sql<Date>`now()`)
    .execute()

/** What an organization may use, with the app and installation that it is of. */
export const links = (db: Queryable, orgId: string, host: string) =>
  db
    .selectFrom('githostLink as l')
    .innerJoin('githostInstallation as i', (join) =>
      join.onRef('i.app', '=', 'l.app').onRef('i.installationId', '=', 'l.installationId'),
    )
    .innerJoin('githostApp as a', 'a.id', 'l.app')
    .select(['l.id', 'l.orgId', 'l.app', 'l.installationId', 'l.repoIds', 'l.brokenAt', 'l.reason'])
    .select(['i.accountId', 'i.accountLogin', 'i.accountType', 'i.avatarUrl', 'i.selection', 'i.permissions'])
    .select(['i.suspendedAt', 'i.goneAt'])
    .select(['a.appId', 'a.slug', 'a.hookKey', 'a.privateKey', 'a.via', 'a.orgId as appOrgId'])
    .where('l.orgId', '=', orgId)
    .where('a.host', '=', host)
    .where((eb) => eb.or([eb('a.orgId', '=', orgId), eb('a.orgId', 'is', null)]))
    .orderBy('l.id')
    .execute()

export const accounts = (db: Queryable, orgId: string) =>
  db.selectFrom('githostAccount').selectAll().where('orgId', '=', orgId).orderBy('kind', 'desc').execute()

export async function keepInstallation(tx: Queryable, app: string, seen: HostInstallation): Promise<void> {
  const facts = {
    accountId: seen.account.id,
    accountLogin: seen.account.login,
    accountType: seen.account.type,
    avatarUrl: seen.account.avatarUrl,
    selection: seen.selection,
    permissions: JSON.stringify(seen.permissions),
    suspendedAt: seen.suspended ? new Date() : null,
    goneAt: null,
    checkedAt: new Date(),
  }
  await tx
    .insertInto('githostInstallation')
    .values({ app, installationId: seen.id, ...facts })
    .onConflict((conflict) => conflict.columns(['app', 'installationId']).doUpdateSet(facts))
    .execute()
}

export const keepLink = (tx: Queryable, row: Insertable<Tables['githostLink']>) => {
  const { repoIds, provedBy, proofLogin } = row
  const proof = { repoIds, provedBy: provedBy ?? null, proofLogin, proofAt: new Date(), brokenAt: null, reason: null }
  return tx
    .insertInto('githostLink')
    .values({ ...row, ...proof })
    .onConflict((conflict) => conflict.columns(['orgId', 'app', 'installationId']).doUpdateSet(proof))
    .execute()
}

/** Another account takes the place of the one before. */
export const keepAccount = (tx: Queryable, row: Insertable<Tables['githostAccount']>) =>
  tx
    .deleteFrom('githostAccount')
    .where('orgId', '=', row.orgId)
    .where('kind', '=', row.kind)
    .execute()
    .then(() => tx.insertInto('githostAccount').values(row).execute())

export const lockAccount = (tx: Tx, { orgId, id }: AccountRow) =>
  tx
    .selectFrom('githostAccount')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const saveTokens = (
  tx: Tx,
  { orgId, id }: AccountRow,
  pair: { token: string; refreshToken: string | null; expiresAt: Date | null },
) => tx.updateTable('githostAccount').set(pair).where('orgId', '=', orgId).where('id', '=', id).execute()

/** Shown until somebody connects anew. */
export async function markBroken(db: Queryable, what: { orgId: string; key: string }, reason: string): Promise<void> {
  const broken = { brokenAt: new Date(), reason }
  const table = what.key.startsWith('ghl_') ? 'githostLink' : 'githostAccount'
  await db.updateTable(table).set(broken).where('orgId', '=', what.orgId).where('id', '=', what.key).execute()
}

export async function markInstallation(
  db: Queryable,
  link: Pick<LinkRow, 'app' | 'installationId'>,
  what: 'suspendedAt' | 'goneAt',
): Promise<void> {
  await db
    .updateTable('githostInstallation')
    .set({ [what]: new Date() })
    .where('app', '=', link.app)
    .where('installationId', '=', link.installationId)
    .execute()
}

/** Whether it is gone or suspended is for the cloud to say: it is asked with the next round. */
export const recheckSoon = (db: Queryable, { app, installationId }: Pick<LinkRow, 'app' | 'installationId'>) =>
  db
    .updateTable('githostInstallation')
    .set({ checkedAt: sql<Date>`'-infinity'` })
    .where('app', '=', app)
    .where('installationId', '=', installationId)
    .execute()

export async function dropAccounts(tx: Tx, orgId: string, kinds: ('oauth' | 'cli')[]): Promise<AccountRow[]> {
  return tx.deleteFrom('githostAccount').where('orgId', '=', orgId).where('kind', 'in', kinds).returningAll().execute()
}

export const dropLinks = (tx: Tx, orgId: string) =>
  tx.deleteFrom('githostLink').where('orgId', '=', orgId).returning('id').execute()

/** The organization that the machine's own login serves when nobody has said which. */
export const firstOrganization = async (db: Queryable): Promise<string | undefined> =>
  (await db.selectFrom('organization').select('id').orderBy('id').limit(1).executeTakeFirst())?.id

export const organizationName = async (db: Queryable, orgId: string): Promise<string> =>
  (await db.selectFrom('organization').select('name').where('id', '=', orgId).executeTakeFirstOrThrow()).name

/** Until when a source is to be left alone, for all processes. */
export const blocksIn = (db: Queryable) => ({
  async until(key: string): Promise<Date | null> {
    const row = await db
      .selectFrom('githostLimit')
      .select('blockedUntil')
      .where('sourceKey', '=', key)
      .executeTakeFirst()
    return row?.blockedUntil ?? null
  },
  async set(key: string, until: Date): Promise<void> {
    await db
      .insertInto('githostLimit')
      .values({ sourceKey: key, blockedUntil: until })
      .onConflict((conflict) => conflict.column('sourceKey').doUpdateSet({ blockedUntil: until }))
      .execute()
    await deleteOld(db, 'githost_limit', sql`blocked_until < now() - interval '1 day'`)
  },
})
