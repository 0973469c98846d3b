import type { PageQuery } from '@slipway/contract/pages'
import type { Role } from '@slipway/contract/permissions'
import { type Tx, transaction } from '../../db/database.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import * as store from './store.ts'

export const listMembers = ({ db }: Pick<BaseParts, 'db'>, caller: Caller, query: PageQuery) =>
  store.list(db, caller.orgId, query)

export async function showMember({ db }: { db: BaseParts['db'] | Tx }, caller: Caller, userId: string) {
  const member = await store.find(db, caller.orgId, userId)
  if (!member) throw notFound('member')
  return member
}

export async function changeRole({ db }: Pick<BaseParts, 'db'>, caller: Caller, userId: string, role: Role) {
  return transaction(db, async (tx) => {
    const member = await showMember({ db: tx }, caller, userId)
    if (member.role === 'owner' && role !== 'owner') await keepAnOwner(tx, caller.orgId, userId)
    await store.setRole(tx, caller.orgId, userId, role)
    await record(tx, caller, 'member.role', userId, { from: member.role, to: role })
    return { ...member, role }
  })
}

export async function removeMember({ db }: Pick<BaseParts, 'db'>, caller: Caller, userId: string) {
  return transaction(db, async (tx) => {
    const member = await showMember({ db: tx }, caller, userId)
    if (member.role === 'owner') await keepAnOwner(tx, caller.orgId, userId)
    await store.remove(tx, caller.orgId, userId)
    await record(tx, caller, 'member.remove', userId, { name: member.name, role: member.role })
    return { success: true as const }
  })
}

async function keepAnOwner(tx: Tx, orgId: string, leaving: string): Promise<void> {
  const owners = await store.lockOwners(tx, orgId)
  if (owners.some((owner) => owner !== leaving)) return
  throw new Refusal('last_owner', 'This is the only owner of the organization.', {
    hint: 'Make another member an owner first.',
  })
}
