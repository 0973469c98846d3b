import { transaction } from '../../db/database.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import { requireDestination } from './find.ts'
import * as store from './store.ts'
import { type VerifyParts, verify } from './verify.ts'

/** For a caller who hangs up as well: it ends by itself, and what it finds is kept. */
const TO_THE_END = new AbortController().signal

/** Looks now. The first one that succeeds pins the host key it saw; from then on another key fails. */
export async function preflight(
  parts: VerifyParts,
  caller: Caller,
  id: string,
): Promise<{ ok: boolean; reason?: string }> {
  const row = await requireDestination(parts.db, caller, id)
  const found = await verify(parts, row, { learn: true, signal: TO_THE_END })
  const ok = found.error === null
  await transaction(parts.db, async (tx) => {
    const saved = await store.saveFound(tx, row, found)
    const pinned = saved && ok && row.hostKey === null && found.hostKey !== null ? { pinned: found.hostKey } : {}
    await record(tx, caller, 'backup_destination.preflight', id, { ok, steps: found.steps, ...pinned })
  })
  return found.error === null ? { ok: true } : { ok: false, reason: found.error }
}
