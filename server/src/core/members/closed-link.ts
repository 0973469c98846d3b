import type { Queryable } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import { findClosed } from './former-link-store.ts'

const ASK = 'Ask for a new invitation.'
const SIGN_IN = 'If you have an account, sign in and join with it. Otherwise ask for a new invitation.'

/** Why nobody joins by this code: said to who holds it, and to nobody else. */
export async function closedLink(db: Queryable, codeHash: Buffer): Promise<Refusal> {
  const [sentence, hint] = reason(await findClosed(db, codeHash))
  return new Refusal('invalid_code', sentence, { field: 'code', hint })
}

function reason({ invitation, why }: Awaited<ReturnType<typeof findClosed>>): [sentence: string, hint: string] {
  if (why === 'withdrawn') return ['This invitation was withdrawn.', ASK]
  if (why === 'replaced') return ['This link was replaced by a newer one.', 'Open the newest one that you were given.']
  if (!invitation) return ['This link is not known here.', 'Copy the whole link from where you got it.']
  // Whether somebody is in by it depends on whether the address had an account, which is not said.
  if (invitation.usedAt || invitation.acceptedAt) return ['This link was used already.', SIGN_IN]
  if (invitation.isExpired) return [`This link expired on ${day(invitation.expiresAt)}.`, ASK]
  if (invitation.setup) return ['This link sets a password and invites nobody.', 'Open it where you are signed out.']
  return ['This link was tried too often.', SIGN_IN]
}

const day = (at: Date) => at.toISOString().slice(0, 10)
