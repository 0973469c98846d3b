import { type Tx, transaction } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import { type Caller, requireSession } from '../access/caller.ts'
import * as people from '../access/people-store.ts'
import { hashSecret } from '../access/secrets.ts'
import { choseItsPassword } from '../access/sessions-store.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { closedLink } from './closed-link.ts'
import * as store from './store.ts'

/**
 * Joins with an account that exists: the session says who it is, the code that they are wanted. Whoever made the account
 * by an invitation of their own may know its password and have a session, and would be in this organization too. So the
 * person chooses a new password first, and all other sessions end.
 */
export async function joinOrganization({ db }: Pick<BaseParts, 'db'>, caller: Caller, input: { code: string }) {
  requireSession(caller)
  return transaction(db, async (tx) => {
    const codeHash = hashSecret(input.code)
    const invitation = await store.lockInvitation(tx, codeHash)
    if (!invitation) throw await closedLink(tx, codeHash)
    const { orgId } = invitation
    const { email } = await people.find(tx, caller.userId, caller.orgId)
    if (email !== invitation.email.toLowerCase()) throw notYours()
    if (!(await store.find(tx, orgId, caller.userId))) await refuseOldPassword(tx, caller)
    await store.closeInvitation(tx, invitation.id)
    const joined = await store.insert(tx, { orgId, userId: caller.userId, role: invitation.role })
    const role = joined ? invitation.role : ((await store.find(tx, orgId, caller.userId))?.role ?? invitation.role)
    const detail = { invitation: invitation.id, joined }
    await record(tx, { ...caller, orgId }, 'member.join', caller.userId, detail)
    return { success: true as const, organizationId: orgId, role }
  })
}

async function refuseOldPassword(tx: Tx, caller: Caller): Promise<void> {
  if (!(await choseItsPassword(tx, caller.credentialId))) {
    throw new Refusal('password_not_new', 'To join another organization, choose a new password first.', {
      hint: 'Whoever made this account may know the old one. POST /api/me/password, and join within 15 minutes.',
    })
  }
  await people.endSessions(tx, caller.userId, caller.credentialId)
}

const notYours = () =>
  new Refusal('invalid_code', 'This invitation is for another email address than the account that is signed in.', {
    field: 'code',
    hint: 'Sign in with the address that was invited, or ask for an invitation to this one.',
  })
