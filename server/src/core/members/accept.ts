import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { Refusal } from '../../errors.ts'
import { endAccess } from '../access/end-access.ts'
import * as people from '../access/people-store.ts'
import { hashSecret } from '../access/secrets.ts'
import { beginSession, type SignInParts } from '../access/sign-in.ts'
import { record } from '../audit/record.ts'
import { closedLink } from './closed-link.ts'
import * as store from './store.ts'

type Input = { code: string; email?: string | undefined; name?: string | undefined; password: string }
type Origin = { address: string; requestId: string }

/**
 * Uses a link without a session: someone new gets an account with this password and joins. A code does not prove who
 * opened the link, so it never sets or checks the password of an account that exists; only the operator's setup link
 * sets one. Where the address has an account nothing changes and the answer is the same, so that it tells nobody who
 * has an account here: its person signs in and joins with the session (join.ts). Whoever sends the address that the code
 * was made for is signed in at once, and so is told the same as by signing in: whether the password was set.
 */
export async function acceptInvitation(parts: SignInParts, input: Input, origin: Origin, asked: Headers) {
  const { db } = parts
  const codeHash = hashSecret(input.code)
  if (input.email !== undefined) await refuseOtherAddress(parts, codeHash, input.email)
  // Hashing is slow on purpose: bounded per code, never inside a transaction, and the same whoever is invited.
  if (!(await store.countAttempt(db, codeHash))) throw await closedLink(db, codeHash)
  const password = await parts.people.hashPassword(input.password)
  const used = await transaction(db, async (tx) => {
    const invitation = await store.useInvitation(tx, codeHash)
    if (!invitation) throw await closedLink(tx, codeHash)
    const { id, orgId, setup } = invitation
    await record(tx, { kind: 'system', name: LINK_HOLDER, orgId, ...origin }, 'invitation.use', id)
    const done = await (setup ? setUp : admit)(tx, invitation, { ...input, password }, origin)
    if (done) await store.closeInvitation(tx, id)
    return { done, orgId }
  })
  if (input.email === undefined) return { cookies: [], answer: { success: true as const, signedIn: false } }
  const cookies = used.done ? await enter(parts, { ...input, email: input.email }, used.orgId, asked) : []
  return { cookies, answer: { success: true as const, signedIn: cookies.length > 0, hadAccount: !used.done } }
}

/** Nothing is used up by a slip of the pen. Who holds a code may use it without saying any address, so nothing is told by this. */
async function refuseOtherAddress({ db }: Pick<SignInParts, 'db'>, codeHash: Buffer, email: string): Promise<void> {
  const invited = await store.addressOf(db, codeHash)
  if (invited === undefined || invited.toLowerCase() === email.toLowerCase()) return
  throw new Refusal('invalid_code', 'This link was made for another email address.', {
    field: 'email',
    hint: 'Nothing was changed: correct the address, or ask for an invitation to this one.',
  })
}

/** The account is made by now: where nobody can be signed in at this moment, they sign in by themselves. */
async function enter(parts: SignInParts, { email, password }: Known, orgId: string, asked: Headers): Promise<string[]> {
  const begun = await beginSession(
    parts,
    { email, orgId },
    () => parts.people.signIn({ email, password }, asked),
    asked,
  )
  return begun.kind === 'in' ? begun.cookies : []
}

type Known = { email: string; password: string }

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
  if (!known) throw new Error('a setup link is for somebody who is gone')
  if (input.name !== undefined) await people.rename(tx, known.id, input.name)
  await people.setPassword(tx, known.id, input.password)
  // The first password resets nothing: nobody but the operator had a way in.
  if (known.password !== null) await endAccess(tx, { userId: known.id, orgId }, tokenId, origin)
  return true
}
