import type { PageQuery } from '@slipway/contract/pages'
import { transaction } from '../../db/database.ts'
import { notFound, Refusal } from '../../errors.ts'
import { type Caller, may } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import * as store from './store.ts'

export const visibleTo = (caller: Caller): store.TokenScope => ({
  orgId: caller.orgId,
  userId: may(caller, 'token:admin') ? null : caller.userId,
})

export const listTokens = ({ db }: Pick<BaseParts, 'db'>, caller: Caller, query: PageQuery) =>
  store.list(db, visibleTo(caller), query)

export async function showToken({ db }: Pick<BaseParts, 'db'>, caller: Caller, id: string) {
  const token = await store.find(db, visibleTo(caller), id)
  if (!token) throw notFound('access token')
  return token
}

export async function revokeToken({ db }: Pick<BaseParts, 'db'>, caller: Caller, id: string) {
  return transaction(db, async (tx) => {
    if (!(await store.remove(tx, visibleTo(caller), id))) throw notFound('access token')
    await record(tx, caller, 'token.revoke', id)
    return { success: true as const }
  })
}

/** What a token may always do: end itself, so that whoever leaves a machine can leave nothing behind. */
export async function endOwnToken({ db }: Pick<BaseParts, 'db'>, caller: Caller) {
  if (caller.kind !== 'token') {
    throw new Refusal('token_required', 'A session is no access token, and cannot be ended as one.', {
      hint: 'POST /api/auth/sign-out ends a session; DELETE /api/tokens/:id revokes a token by its id.',
    })
  }
  return transaction(db, async (tx) => {
    // Two that sign out at once both find it ended.
    const ended = await store.remove(tx, { orgId: caller.orgId, userId: caller.userId }, caller.credentialId)
    if (ended) await record(tx, caller, 'token.revoke', caller.credentialId)
    return { success: true as const }
  })
}
