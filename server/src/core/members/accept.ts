import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { Refusal } from '../../errors.ts'
import { endAccess } from '../access/end-access.ts'
import type { People } from '../access/people.ts'
import * as people from '../access/people-store.ts'
import { hashSecret } from '../access/secrets.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import * as store from './store.ts'

type Input = { code: string; name?: string | undefined; password: string }
type Origin = { address: string; requestId: string }

/**
 * Uses a link without a session: someone new gets an account with this password and joins. A code does not prove who
 * opened the link, so it never sets or checks the password of an account that exists; only the operator's setup link
 * sets one. Where the address has an account nothing changes and the answer is the same, so that it tells nobody who
 * has an account here: its person signs in and joins with the session (join.ts).
 */
export async function acceptInvitation(
  { db, people }: Pick<BaseParts, 'db'> & { people: People },
  input: Input,
  origin: Origin,
) {
  const codeHash = hashSecret(input.code)
  // Hashing is slow on purpose: bounded per code, never inside a transaction, and the same whoever is invited.
  if (!(await store.countAttempt(db, codeHash))) throw spent()
  const password = await people.hashPassword(input.password)
  return transaction(db, async (tx) => {
    const invitation = await store.useInvitation(tx, codeHash)
    if (!invitation) throw spent()
    const { id, orgId, setup } = invitation
    await record(tx, { kind: 'system', name: LINK_HOLDER, orgId, ...origin }, 'invitation.use', id)
    const done = await (setup ? setUp : admit)(tx, invitation, { ...input, password }, origin)
    if (done) await store.closeInvitation(tx, id)
    return { success: true as const }
  })
}

export const spent = () =>
  new Refusal('invalid_code', 'This link was used already, tried too often, withdrawn, or has expired.', {
    field: 'code',
    hint: 'If you have an account, sign in and join with it. Otherwise ask for a new invitation.',
  })

/** Nobody has proved to be anyone yet. */
const LINK_HOLDER = 'whoever holds the link'
/** The person acts before they have a session. */
const SIGNED_OUT = { credentialId: '', scopes: null, projectId: null, expiresAt: null } as const

type Invited = NonNullable<Awaited<ReturnType<typeof store.useInvitation>>>

/** Somebody new. Where the address has an account already, or since this very moment, nobody is let in. */
async function admit(tx: Tx, { id, orgId, email, role }: Invited, input: Input, origin: Origin): Promise<boolean> {
  const name = input.name ?? email
  const person = await people.insertNew(tx, { id: newId('usr'), name, email })
  if (!person) return false
  await people.setPassword(tx, person.id, input.password)
  await store.insert(tx, { orgId, userId: person.id, role })
  const actor = { kind: 'session', orgId, userId: person.id, userName: name, role, ...origin } as const
  await record(tx, { ...actor, ...SIGNED_OUT }, 'member.join', person.id, { invitation: id, joined: true })
  return true
}

/** The operator's link: sets the password of an account, and ends what it was used with so far. It joins nothing. */
async function setUp(tx: Tx, { orgId, email, tokenId }: Invited, input: Input, origin: Origin): Promise<boolean> {
  const known = await people.findByEmail(tx, email)
  if (!known) throw spent()
  if (input.name !== undefined) await people.rename(tx, known.id, input.name)
  await people.setPassword(tx, known.id, input.password)
  // The first password resets nothing: nobody but the operator had a way in.
  if (known.password !== null) await endAccess(tx, { userId: known.id, orgId }, tokenId, origin)
  return true
}
