import type { RelayedDelivery } from '@slipway/contract/relay'
import type { Tx } from '../../../db/database.ts'
import type { BaseParts } from '../../parts.ts'
import { lookAtHeads } from '../push/head-store.ts'
import { type Said, saidIn } from '../push/read-delivery.ts'
import { HEADS_CHANGED } from '../push/receive.ts'
import { storeSaid } from '../push/store-said.ts'

type Parts = Pick<BaseParts, 'config' | 'changes'>

/** At an instance: what its cloud relays is kept as if the git host had told it here. */
export const takeRelayed = ({ config, changes }: Parts) => ({
  async store(tx: Tx, from: { orgId: string; hookKey: string }, deliveries: RelayedDelivery[]): Promise<void> {
    const { host } = config.githost
    const whose = { body: null, orgIds: [from.orgId], otherwise: from.orgId }
    const told = deliveries.map(({ guid, ...one }) => ({ ...whose, guid, said: read(one, host) }))
    if (told.length > 0) await storeSaid(tx, host, from.hookKey, told)
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
