import { transaction } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import { type Caller, requireSession } from '../access/caller.ts'
import * as people from '../access/people-store.ts'
import { hashSecret } from '../access/secrets.ts'
import { record } from '../audit/record.ts'
import type { Platform } from '../platform.ts'
import { spent } from './accept.ts'
import * as store from './store.ts'

/** Joins with an account that exists: the session says who it is, the code that they are wanted. */
export async function joinOrganization({ db }: Pick<Platform, 'db'>, caller: Caller, input: { code: string }) {
  requireSession(caller)
  return transaction(db, async (tx) => {
    const invitation = await store.lockInvitation(tx, hashSecret(input.code))
    if (!invitation) throw spent()
    const { orgId } = invitation
    const { email } = await people.find(tx, caller.userId, caller.orgId)
    if (email !== invitation.email.toLowerCase()) throw notYours()
    await store.closeInvitation(tx, invitation.id)
    const joined = await store.insert(tx, { orgId, userId: caller.userId, role: invitation.role })
    const role = joined ? invitation.role : ((await store.find(tx, orgId, caller.userId))?.role ?? invitation.role)
    const detail = { invitation: invitation.id, joined }
    await record(tx, { ...caller, orgId, role }, 'member.join', caller.userId, detail)
    return { success: true as const, organizationId: orgId, role }
  })
}

const notYours = () =>
  new Refusal('invalid_code', 'This invitation is for another email address than the account that is signed in.', {
    field: 'code',
    hint: 'Sign in with the address that was invited, or ask for an invitation to this one.',
  })
