import type { LimitKind } from '@slipway/contract/limits'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import { type LimitParts, mostOf } from './most.ts'
import { count, lock } from './store.ts'
import { inWords, LIMITS } from './table.ts'

type Change = {
  /** Written by this transaction already, and so among what is counted. */
  made?: number
  /** Not written yet. */
  coming?: number
}

/**
 * Refuses a change that gives an organization more than it may have. It counts under a lock that lasts until the caller's
 * transaction ends (a semaphore of all processes), so of two who come for the last place one is refused, whichever of them wrote
 * first. Without a limit nothing is locked or counted; and what gives nothing more is never refused, also where there is too
 * much already because the limit was lowered.
 */
export async function requireRoom(
  parts: LimitParts,
  tx: Tx,
  orgId: string,
  kind: LimitKind,
  { made = 0, coming = 0 }: Change,
): Promise<void> {
  if (made + coming <= 0) return
  const most = await mostOf(parts, tx, orgId, kind)
  if (most === null) return
  await lock(tx, orgId, kind)
  const used = (await count(tx, orgId, kind)) - made
  if (used + made + coming > most) throw limitReached(kind, most, used)
}

function limitReached(kind: LimitKind, most: number, used: number): Refusal {
  const { refusal, hint } = LIMITS[kind]
  return new Refusal('limit_reached', refusal(inWords(kind, used), inWords(kind, most)), {
    hint,
    limit: { kind, most, used },
  })
}
