import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'

/** Held until the transaction ends: what comes through the cloud does not outlive the link. */
export const lockLink = (tx: Tx, orgId: string) =>
  tx.selectFrom('cloudLink').select('linkId').where('orgId', '=', orgId).forKeyShare().executeTakeFirst()

type CloudApp = { orgId: string; host: string; slug: string; hookKey: string }

/** In the text: with a parameter there, a prepared statement does not find the index. */
const ofCloud = sql<boolean>`via = 'cloud'`

export const keepCloudApp = (tx: Tx, { slug, ...app }: CloudApp) =>
  tx
    .insertInto('githostApp')
    .values({ id: newId('gha'), ...app, slug, via: 'cloud', owner: '', clientId: '' })
    .onConflict((conflict) => conflict.columns(['orgId', 'host']).where(ofCloud).doUpdateSet({ slug }))
    .returning('id')
    .executeTakeFirstOrThrow()

/** Undefined: it was disconnected meanwhile. */
export const lockCloudApp = (tx: Tx, orgId: string, host: string) =>
  tx
    .selectFrom('githostApp')
    .select('id')
    .where('orgId', '=', orgId)
    .where('host', '=', host)
    .where('via', '=', 'cloud')
    .forUpdate()
    .executeTakeFirst()

type Extent = { orgId: string; app: string; installationId: number; repoIds: number[] | null }

/** Who connected it first is kept; how far it reaches is what the cloud has said last. */
export const keepExtent = (tx: Tx, row: Extent & { provedBy: string | null; proofLogin: string }) => {
  const said = { repoIds: row.repoIds, proofAt: new Date(), brokenAt: null, reason: null }
  return tx
    .insertInto('githostLink')
    .values({ id: newId('ghl'), ...row, ...said })
    .onConflict((conflict) => conflict.columns(['orgId', 'app', 'installationId']).doUpdateSet(said))
    .execute()
}

export const markOthersGone = (tx: Tx, app: string, installationIds: number[]) => {
  const rows = tx.updateTable('githostInstallation').set({ goneAt: new Date() }).where('app', '=', app)
  const others =
    installationIds.length === 0 ? rows : rows.where('installationId', 'not in', installationIds.map(String))
  return others.where('goneAt', 'is', null).execute()
}

export const breakLinks = (db: Queryable, orgId: string, app: string, reason: string) =>
  db
    .updateTable('githostLink')
    .set({ brokenAt: new Date(), reason })
    .where('orgId', '=', orgId)
    .where('app', '=', app)
    .where('brokenAt', 'is', null)
    .execute()

/** With installations and links (on delete cascade); the ids of the links, by which repositories were listed. */
export async function dropCloudApps(tx: Tx, orgId: string): Promise<string[]> {
  const links = await tx
    .selectFrom('githostLink as l')
    .innerJoin('githostApp as a', 'a.id', 'l.app')
    .select('l.id')
    .where('l.orgId', '=', orgId)
    .where('a.orgId', '=', orgId)
    .where('a.via', '=', 'cloud')
    .execute()
  await tx.deleteFrom('githostApp').where('orgId', '=', orgId).where('via', '=', 'cloud').execute()
  return links.map(({ id }) => id)
}

/** The instance that has begun an attempt, as it calls itself. */
export const instanceName = async (db: Queryable, orgId: string, linkId: string): Promise<string | undefined> =>
  (
    await db
      .selectFrom('instanceLink')
      .select('name')
      .where('orgId', '=', orgId)
      .where('id', '=', linkId)
      .executeTakeFirst()
  )?.name
