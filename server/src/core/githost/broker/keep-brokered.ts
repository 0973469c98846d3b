import { randomBytes } from 'node:crypto'
import { type Tx, transaction } from '../../../db/database.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { dropSources } from '../mirror-store.ts'
import { failed, failureIn } from '../refuse.ts'
import { keepInstallation } from '../store.ts'
import { askInstallations, type LinkedCloud, type Seen } from './ask-cloud.ts'
import * as store from './broker-store.ts'

/** What the organization at the cloud holds becomes usable here, as far as it was proved there; what it holds no more is gone. */
export async function keepBrokered(
  tx: Tx,
  { orgId, userId, host }: { orgId: string; userId: string | null; host: string },
  { slug, data }: Seen,
): Promise<void> {
  if (!(await store.lockLink(tx, orgId)))
    throw failed('forbidden', 'The organization is not linked to a cloud any more.')
  const { id: app } = await store.keepCloudApp(tx, {
    orgId,
    host,
    slug,
    hookKey: randomBytes(32).toString('base64url'),
  })
  for (const { installationId: id, repositoryIds: repoIds, ...facts } of data) {
    await keepInstallation(tx, app, { id, ...facts })
    await store.keepExtent(tx, {
      ...{ orgId, app, installationId: id, repoIds },
      ...{ provedBy: userId, proofLogin: facts.account.login },
    })
  }
  await store.markOthersGone(
    tx,
    app,
    data.map(({ installationId }) => installationId),
  )
}

type Parts = Pick<BaseParts, 'db' | 'config'> & { linkedCloud: LinkedCloud }

/** Asks the cloud what the organization there holds now. A link that it does not take any more is told as broken. */
export async function recheckBrokered(
  { db, config, linkedCloud }: Parts,
  { orgId, app }: { orgId: string; app: string },
  signal: AbortSignal,
): Promise<void> {
  const { host } = config.githost
  try {
    const seen = await askInstallations({ cloud: linkedCloud, orgId, signal })
    requireHost(seen.host, host)
    await transaction(db, async (tx) => {
      if (await store.lockCloudApp(tx, orgId, host)) await keepBrokered(tx, { orgId, userId: null, host }, seen)
    })
  } catch (error) {
    const failure = failureIn(error)
    if (failure?.code === 'unauthorized') await store.breakLinks(db, orgId, app, failure.message)
    throw error
  }
}

/** Numbers of another host name other things. */
export function requireHost(theirs: string, ours: string): void {
  if (theirs === ours) return
  throw failed('forbidden', `The hosted cloud works with ${theirs}, and this instance with ${ours}.`, {
    hint: 'Connect in another way: manifest, oauth or cli.',
  })
}

/** What came through the cloud goes with the link. */
export async function forgetBrokered(tx: Tx, caller: Caller): Promise<void> {
  const links = await store.dropCloudApps(tx, caller.orgId)
  if (links.length === 0) return
  await dropSources(tx, caller.orgId, links)
  await record(tx, caller, 'githost.disconnect', null, { source: 'cloud', disconnected: ['app'] })
}
