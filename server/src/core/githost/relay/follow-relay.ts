import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { findOfToken } from '../../tokens/links/store.ts'
import type { RelayEvent, Relays } from './relays.ts'

type Following = { linkId: string; events(signal: AbortSignal): AsyncGenerator<RelayEvent[]> }

/** What the link whose credential asks is still to hear. Nobody else's: a person or another token has taken nothing yet. */
export async function followRelay(
  { db, relays }: Pick<BaseParts, 'db'> & { relays: Relays },
  caller: Caller,
  after: number,
): Promise<Following> {
  const link = caller.kind === 'token' ? await findOfToken(db, caller.orgId, caller.credentialId) : undefined
  if (!link) {
    throw new Refusal('link_required', 'Only the credential of a linked instance follows what is relayed to it.', {
      hint: 'What the git host told is listed by GET /api/githost/deliveries.',
    })
  }
  return { linkId: link.id, events: (signal) => relays.follow(link.id, after, signal) }
}
