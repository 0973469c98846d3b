import type { PageQuery } from '@slipway/contract/pages'
import type { Role } from '@slipway/contract/permissions'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import * as people from '../access/people-store.ts'
import { hashSecret, newCode } from '../access/secrets.ts'
import { type Actor, record } from '../audit/record.ts'
import { requireRoom } from '../limits/require-room.ts'
import type { BaseParts } from '../parts.ts'
import { rememberLink } from './former-link-store.ts'
import * as store from './store.ts'

const DAYS = 7

/** Only the answer carries the link: the database keeps a hash, and no list ever shows it. */
export async function invite(
  { db, config }: Pick<BaseParts, 'db' | 'config'>,
  actor: Actor,
  input: { email: string; role: Role; setup?: boolean; tokenId?: string },
) {
  const code = newCode()
  const now = new Date()
  const expiresAt = new Date(now.getTime() + DAYS * 24 * 3600 * 1000)
  const id = newId('inv')
  const invitedBy = actor.kind === 'system' ? null : actor.userName
  return transaction(db, async (tx) => {
    const { email, role, setup = false, tokenId = null } = input
    if (!setup) await refuseMember(tx, actor.orgId, email)
    const replaced = !setup && (await store.isInvited(tx, actor.orgId, email))
    await rememberLink(tx, { orgId: actor.orgId, email }, 'replaced')
    await store.putInvitation(tx, {
      id,
      orgId: actor.orgId,
      email,
      role,
      codeHash: hashSecret(code),
      invitedBy,
      setup,
      tokenId,
      expiresAt,
    })
    // One that takes the place of another takes none of its own; a setup link lets nobody in who is no member already.
    if (!setup && !replaced) await requireRoom({ config }, tx, actor.orgId, 'members', { made: 1 })
    await record(tx, actor, 'member.invite', id, { email, role })
    return {
      success: true as const,
      invitation: { id, email, role, invitedBy, expiresAt: expiresAt.toISOString(), createdAt: now.toISOString() },
      link: `${config.publicUrl}/join#${code}`,
    }
  })
}

async function refuseMember(tx: Tx, orgId: string, email: string): Promise<void> {
  const person = await people.findByEmail(tx, email)
  if (!person || !(await store.find(tx, orgId, person.id))) return
  throw new Refusal('already_member', `${email} is a member already.`, {
    field: 'email',
    hint: 'Change their role with PATCH /api/members/:userId.',
  })
}

export const listInvitations = ({ db }: Pick<BaseParts, 'db'>, caller: Caller, query: PageQuery) =>
  store.listInvitations(db, caller.orgId, query)

export async function withdrawInvitation({ db }: Pick<BaseParts, 'db'>, caller: Caller, id: string) {
  return transaction(db, async (tx) => {
    await rememberLink(tx, { orgId: caller.orgId, id }, 'withdrawn')
    if (!(await store.removeInvitation(tx, caller.orgId, id))) throw notFound('invitation')
    await record(tx, caller, 'member.withdraw', id)
    return { success: true as const }
  })
}
