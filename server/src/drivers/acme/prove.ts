import type { Authorization } from 'acme-client'
import { within } from '../ssh/within.ts'
import { acmeFailure, type Challenge } from './acme.ts'
import type { Session } from './session.ts'

type Course = { session: Session; client: ReturnType<Session['client']> }
type Names = { authorizations: Authorization[]; challenge: Challenge }

/** What is laid out must go even when the caller has left, but nobody waits for it for ever. */
const REMOVE_MS = 10_000

/** Lays out the answer for each name, tells the CA, lets it look, and clears up. */
export async function prove<T>(
  { session, client }: Course,
  { authorizations, challenge }: Names,
  look: () => Promise<T>,
) {
  const open = authorizations.filter(({ status }) => status !== 'valid')
  const chosen = open.map((authorization) => ({ authorization, one: choose(authorization, challenge) }))
  const laid: Promise<void>[] = []
  const removals: (() => Promise<void>)[] = []
  try {
    for (const { authorization, one } of chosen) {
      const answer = await client.getChallengeKeyAuthorization(one)
      const [name, value] = placeOf(authorization, challenge, { token: one.token, answer })
      const put = challenge.put(name, value)
      laid.push(put)
      // One that is still on its way must not arrive after its removal.
      const arrived = put.catch(() => {})
      removals.push(() => arrived.then(() => challenge.remove(name, value)))
    }
    await session.ended(Promise.all(laid))
    await Promise.all(chosen.map(({ one }) => session.during('challenge', () => client.completeChallenge(one))))
    return await look()
  } finally {
    // What cannot be removed now does no harm: it is an answer to a question that was asked already.
    const signal = new AbortController().signal
    const gone = Promise.allSettled(removals.map((remove) => remove()))
    await within(gone, { signal, deadlineMs: REMOVE_MS, late: () => new Error('late') }).catch(() => {})
  }
}

function choose({ identifier, challenges }: Authorization, { kind }: Challenge) {
  const one = challenges.find(({ type }) => type === kind)
  if (one) return one
  const offered = challenges.map(({ type }) => type).join(', ') || 'nothing'
  throw acmeFailure('order_rejected', `The CA takes no ${kind} for ${identifier.value}; it offers ${offered}.`)
}

/** A wildcard is proved at its parent, which is what the CA calls it then. */
function placeOf(
  { identifier }: Authorization,
  { kind }: Challenge,
  { token, answer }: { token: string; answer: string },
) {
  return kind === 'http-01' ? ([token, answer] as const) : ([`_acme-challenge.${identifier.value}`, answer] as const)
}
