import type { PageQuery } from '@slipway/contract/pages'
import { transaction } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import { type Caller, may } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import * as store from './store.ts'

const visibleTo = (caller: Caller): store.TokenScope => ({
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
