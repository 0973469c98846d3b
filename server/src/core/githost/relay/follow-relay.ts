import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { requireLinkedInstance } from '../linked-instance.ts'
import type { Cursor } from './relay-store.ts'
import type { RelayEvent, Relays } from './relays.ts'

type Following = { linkId: string; events(signal: AbortSignal): AsyncGenerator<RelayEvent[]> }

/** What the link whose credential asks is still to hear. Nobody else's: a person or another token has taken nothing yet. */
export async function followRelay(
  { db, relays }: Pick<BaseParts, 'db'> & { relays: Relays },
  caller: Caller,
  after: Cursor,
): Promise<Following> {
  const { id } = await requireLinkedInstance({ db }, caller, {
    sentence: 'Only the credential of a linked instance follows what is relayed to it.',
    hint: 'What the git host told is listed by GET /api/githost/deliveries.',
  })
  return { linkId: id, events: (signal) => relays.follow(id, after, signal) }
}
