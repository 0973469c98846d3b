import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { Refusal } from '../../errors.ts'
import * as people from '../access/people-store.ts'
import { hashSecret } from '../access/secrets.ts'
import { record } from '../audit/record.ts'
import type { Platform } from '../platform.ts'
import * as store from './store.ts'

type Input = { code: string; name?: string | undefined; password: string }
type Origin = { address: string; requestId: string }

/**
 * Uses a link without a session: someone new gets an account with this password and joins. A code does not prove who
 * opened the link, so it never sets or checks the password of an account that exists; only the operator's setup link
 * sets one. Where the address has an account nothing changes and the answer is the same, so that it tells nobody who
 * has an account here: its person signs in and joins with the session (join.ts).
 */
export async function acceptInvitation({ db, people }: Pick<Platform, 'db' | 'people'>, input: Input, origin: Origin) {
  const codeHash = hashSecret(input.code)
  // Hashing is slow on purpose: bounded per code, never inside a transaction, and the same whoever is invited.
  if (!(await store.countAttempt(db, codeHash))) throw spent()
  const password = await people.hashPassword(input.password)
  return transaction(db, async (tx) => {
    const invitation = await store.useInvitation(tx, codeHash)
    if (!invitation) throw spent()
    const { id, orgId } = invitation
    await record(tx, { kind: 'system', name: LINK_HOLDER, orgId, ...origin }, 'invitation.use', id)
    const person = await letIn(tx, invitation, { ...input, password })
    if (!person) return { success: true as const }
    await store.closeInvitation(tx, id)
    const joined = await store.insert(tx, { orgId, userId: person.id, role: invitation.role })
    const role = joined ? invitation.role : ((await store.find(tx, orgId, person.id))?.role ?? invitation.role)
    const actor = { kind: 'session', orgId, userId: person.id, userName: person.name, ...origin } as const
    await record(tx, { ...actor, ...SIGNED_OUT, role }, 'member.join', person.id, { invitation: id, joined })
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

type Invited = { email: string; setup: boolean }

/** The account that this link opens; none where the address has one of its own. */
async function letIn(tx: Tx, { email, setup }: Invited, input: Input) {
  const known = await people.findByEmail(tx, email)
  if (known && !setup) return null
  const name = input.name ?? known?.name ?? email
  const person = known ?? (await people.insertNew(tx, { id: newId('usr'), name, email }))
  // Made by another link at the same moment: then it is an account that exists.
  if (!person) return null
  if (known && input.name !== undefined) await people.rename(tx, known.id, input.name)
  await people.setPassword(tx, person.id, input.password)
  return { id: person.id, name }
}
