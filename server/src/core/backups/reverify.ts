import { transaction } from '../../db/database.ts'
import { record } from '../audit/record.ts'
import { eachFairly, fairShare } from '../fair-share.ts'
import * as store from './store.ts'
import { type VerifyParts, verify } from './verify.ts'

const BATCH = 32
const SHARE = 4
const AT_ONCE = 8
const PER_ORG = 2
/** Far longer than a batch takes: whoever took it and died leaves it to others after that. */
const LEASE_MINUTES = 15

/** Looks at each destination once a day, so that what is said about it stays true, and the day it broke is known. */
export async function reverifyDue(parts: VerifyParts, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const due = await fairShare({ most: BATCH, share: SHARE }, (most, except) => store.due(parts.db, most, except))
    const ids = due.map(({ id }) => id)
    // Those that somebody else is taking are theirs.
    const taken = await store.take(parts.db, ids, LEASE_MINUTES)
    // All draw from the same batch: a slow one holds up nobody else.
    await eachFairly(taken, { atOnce: AT_ONCE, perOrg: PER_ORG, signal }, (row) =>
      reverify(parts, row, signal).catch((error) => notNow(parts, row, error, signal)),
    )
    // Of a full batch others may have had most, and there are more; had they all of it, they go on.
    if (taken.length === 0 || due.length < BATCH) return
  }
}

async function reverify(parts: VerifyParts, row: store.DestinationRow, signal: AbortSignal): Promise<void> {
  const found = await verify(parts, row, { learn: false, signal })
  const broke = found.error !== null && row.lastVerifyError === null
  const mended = found.error === null && row.lastVerifyError !== null
  await transaction(parts.db, async (tx) => {
    const saved = await store.saveFound(tx, row, found)
    if (!saved || !(broke || mended)) return
    const actor = { kind: 'system', name: 'daily check', orgId: row.orgId } as const
    await record(tx, actor, `backup_destination.${broke ? 'broke' : 'mended'}`, row.id, { steps: found.steps })
  })
  const facts = { destination: row.id, organization: row.orgId }
  if (broke) parts.log.warn(facts, 'a backup destination broke')
}

/** One that fails for a reason of ours, such as a lost database, does not hold up the others; its lease brings it back. */
function notNow({ log }: VerifyParts, row: store.DestinationRow, error: Error, signal: AbortSignal): void {
  signal.throwIfAborted()
  log.error({ destination: row.id, reason: error.message }, 'a backup destination could not be looked at')
}
