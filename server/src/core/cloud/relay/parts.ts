import type { RelayedDelivery } from '@slipway/contract/relay'
import type { Tx } from '../../../db/database.ts'
import type { CloudPassage } from '../../../drivers/cloud-forward/passage.ts'
import type { BaseParts } from '../../parts.ts'

/** What is done here with what a cloud relays: as if the git host had told it here itself. */
export type Relayed = {
  /** Keeps deliveries in this order, each once by its id. */
  store(tx: Tx, from: { orgId: string; hookKey: string }, deliveries: RelayedDelivery[]): Promise<void>
  /** Some were missed: every branch that the organization follows is worth a look. */
  lookAtAll(tx: Tx, orgId: string): Promise<void>
  /** After the commit. */
  told(): void
}

export type RelayParts = Pick<BaseParts, 'db' | 'keys' | 'config' | 'log'> & {
  cloudPassage: CloudPassage
  relayed: Relayed
  /** After which a connection that says nothing is given up, where that is not as usual. */
  silentMs?: number
}
