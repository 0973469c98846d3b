import type { RelayedDelivery } from '@slipway/contract/relay'
import type { Tx } from '../../../db/database.ts'
import type { BaseParts } from '../../parts.ts'
import { lookAtHeads } from '../push/head-store.ts'
import { type Said, saidIn } from '../push/read-delivery.ts'
import { HEADS_CHANGED } from '../push/receive.ts'
import { markMoved, type Stored, storeSaid } from '../push/store-said.ts'

type Parts = Pick<BaseParts, 'config' | 'changes'>

/** At an instance: what its cloud relays is kept as if the git host had told it here. */
export const takeRelayed = ({ config, changes }: Parts) => ({
  async store(tx: Tx, from: { orgId: string; hookKey: string }, deliveries: RelayedDelivery[]): Promise<void> {
    const { host } = config.githost
    const told = { hookKey: from.hookKey, body: null, orgIds: [from.orgId], otherwise: from.orgId }
    const stored: Stored[] = []
    for (const { guid, ...one } of deliveries)
      stored.push(await storeSaid(tx, { ...told, guid, said: read(one, host) }))
    await markMoved(tx, host, stored)
  },
  lookAtAll: (tx: Tx, orgId: string) => lookAtHeads(tx, orgId, config.githost.host),
  told: () => changes.send(HEADS_CHANGED),
})

/** The number of a repository is another one at another host. */
function read({ event, said }: Omit<RelayedDelivery, 'guid'>, ours: string): Said {
  const { host, installationId, ...row } = said
  const read = saidIn({ event, ...row }, installationId)
  return host === ours ? read : { ...read, branch: null, decided: ['ignored', `it is about ${host}`] }
}
