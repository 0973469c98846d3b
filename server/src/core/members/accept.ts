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
 * Joins an organization by a one-time code. Someone new gets an account with this password; someone known must give
 * the password they have, because the code alone does not prove who opened the link.
 */
export async function acceptInvitation({ db, people }: Pick<Platform, 'db' | 'people'>, input: Input, origin: Origin) {
  const codeHash = hashSecret(input.code)
  if (!(await store.countAttempt(db, codeHash))) throw spent()
  return transaction(db, async (tx) => {
    const invitation = await store.takeInvitation(tx, codeHash)
    if (!invitation) throw spent()
    const { orgId } = invitation
    const person = await provePerson(tx, people, invitation, input)
    const joined = await store.insert(tx, { orgId, userId: person.id, role: invitation.role })
    const role = joined ? invitation.role : ((await store.find(tx, orgId, person.id))?.role ?? invitation.role)
    const actor = { kind: 'session', orgId, userId: person.id, userName: person.name, ...origin } as const
    await record(tx, { ...actor, ...SIGNED_OUT, role }, 'member.join', person.id, { invitation: invitation.id, joined })
    return { success: true as const, organizationId: orgId, userId: person.id, role }
  })
}

const spent = () =>
  new Refusal('invalid_code', 'This link was used already, tried too often, withdrawn, or has expired.', {
    field: 'code',
    hint: 'Ask for a new invitation, or run `slipway admin bootstrap` on the machine of the instance.',
  })

/** The person acts before they have a session. */
const SIGNED_OUT = { credentialId: '', scopes: null, projectId: null, expiresAt: null } as const

type Invited = { email: string; setup: boolean }

async function provePerson(tx: Tx, passwords: Platform['people'], { email, setup }: Invited, input: Input) {
  const known = await people.findByEmail(tx, email)
  if (known?.password && !setup) {
    if (await passwords.verifyPassword(known.password, input.password)) return known
    throw new Refusal('invalid_password', 'An account with this email exists and has another password.', {
      field: 'password',
      hint: 'Give the password of the existing account.',
    })
  }
  // Whoever invites sees the link, so it must not decide the password of an account that others gave rights to.
  if (known && !setup) {
    throw new Refusal('invalid_password', 'An account with this email exists and has no password yet.', {
      hint: 'Its owner has to use their own setup link first; `slipway admin bootstrap --again` makes a new one.',
    })
  }
  const person = known ?? (await people.insert(tx, { id: newId('usr'), name: input.name ?? email, email }))
  if (known && input.name !== undefined) await people.rename(tx, known.id, input.name)
  await people.setPassword(tx, person.id, await passwords.hashPassword(input.password))
  return { id: person.id, name: input.name ?? person.name }
}
