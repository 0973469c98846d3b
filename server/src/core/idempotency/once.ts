import { Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import type { BaseParts } from '../parts.ts'
import type { Claims } from './claims.ts'
import * as store from './store.ts'

/** `claim` names this very run of it. */
export type Call = { caller: Caller; key: string; requestHash: Buffer; claim: string }
export type Stored = { status: number; payload: string }
type Parts = Pick<BaseParts, 'db' | 'keys'>

/** A key belongs to one credential: another token of the same person may hold less than the answer shows. */
const keyOf = ({ caller, key }: Call): store.CallKey => ({
  orgId: caller.orgId,
  credentialId: caller.credentialId,
  key,
})
/** Answers may hold what is shown only once (a new token), so they are sealed like any other secret. */
const placeOf = ({ caller, key }: Call) => `idempotency/${caller.orgId}/${caller.credentialId}/${key}`

/** Either the call is ours to run (undefined), or this is the answer it got before. */
export async function beginOnce({ db, keys }: Parts, call: Call): Promise<Stored | undefined> {
  if (await store.claim(db, keyOf(call), call.requestHash, call.claim)) return undefined
  const before = await store.find(db, keyOf(call))
  if (before && !before.requestHash.equals(call.requestHash)) {
    throw new Refusal('idempotency_mismatch', 'This Idempotency-Key was used before with another request.', {
      hint: 'Use a new key for a new request.',
    })
  }
  if (!before || before.status === null || before.response === null) {
    throw new Refusal('request_running', 'A request with this Idempotency-Key is still running.', {
      retryAfter: 1,
      hint: 'Ask again in a moment to get its answer.',
    })
  }
  return { status: before.status, payload: keys.open(before.response, placeOf(call)) }
}

/** While the call runs, however long that takes, nobody takes its key over. Returns how to let go. */
export const holdOnce = ({ claims }: { claims: Claims }, call: Call) =>
  claims.hold({ ...keyOf(call), claim: call.claim })

export async function finishOnce({ db, keys }: Parts, call: Call, answer: Stored): Promise<void> {
  const response = keys.seal(answer.payload, placeOf(call))
  await store.finish(db, keyOf(call), call.claim, { status: answer.status, response })
}

export const forgetOnce = ({ db }: Pick<BaseParts, 'db'>, call: Call) => store.remove(db, keyOf(call), call.claim)
