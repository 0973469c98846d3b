import type { GithostState } from '@slipway/contract/githost-shape'
import { transaction } from '../../../db/database.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import { dropCloudApps } from '../broker/broker-store.ts'
import * as mirror from '../mirror-store.ts'
import { accountPlace } from '../secrets.ts'
import type { GithostParts } from '../sources.ts'
import { stateOf } from '../status.ts'
import * as store from '../store.ts'
import { TOKENS_CHANGED } from '../tokens.ts'

const REVOKE_MS = 5000

/** Forgets what is stored of a source. Nothing is uninstalled, and the machine's own login stays as it is. */
export async function disconnect(
  parts: GithostParts,
  caller: Caller,
  source: 'oauth' | 'cli' | 'all',
): Promise<{ success: true; disconnected: string[]; state: GithostState }> {
  const kinds = source === 'all' ? (['oauth', 'cli'] as const) : [source]
  const { accounts, disconnected } = await transaction(parts.db, async (tx) => {
    const gone = await store.dropAccounts(tx, caller.orgId, [...kinds])
    const links = source === 'all' ? await store.dropLinks(tx, caller.orgId) : []
    // Its rows would bring the links back when the cloud is asked again.
    if (source === 'all') await dropCloudApps(tx, caller.orgId)
    await mirror.dropSources(
      tx,
      caller.orgId,
      [...gone, ...links].map(({ id }) => id),
    )
    const names = [...gone.map(({ kind }) => kind), ...(links.length > 0 ? ['app'] : [])]
    await record(tx, caller, 'githost.disconnect', null, { source, disconnected: names })
    return { accounts: gone, disconnected: names }
  })
  parts.githostTokens.drop()
  parts.changes.send(TOKENS_CHANGED)
  await Promise.all(accounts.filter(({ kind }) => kind === 'oauth').map((account) => revoke(parts, account)))
  return { success: true, disconnected, state: await stateOf(parts, caller.orgId) }
}

/** Best effort: it is forgotten here in any case. */
async function revoke({ config, keys, githost, log }: GithostParts, { id, token }: store.AccountRow): Promise<void> {
  const client = config.githost.oauth
  if (token === null || !client?.clientSecret) return
  const late = new Promise<void>((resolve) => setTimeout(resolve, REVOKE_MS).unref())
  const revoked = githost.oauth.revoke(client, keys.open(token, accountPlace(id, 'token'))).catch((error: unknown) => {
    log.warn({ reason: (error as Error).message }, 'a token was not revoked at the git host')
  })
  await Promise.race([revoked, late])
}
