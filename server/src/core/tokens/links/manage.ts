import type { PageQuery } from '@slipway/contract/pages'
import { type Tx, transaction } from '../../../db/database.ts'
import { notFound, Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import type { BaseParts } from '../../parts.ts'
import { visibleTo } from '../manage.ts'
import { remove } from '../store.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db'>

/** Whoever may see and revoke the token of a link may see and end the link: they are one thing, with two lists. */
export const listLinks = ({ db }: Parts, caller: Caller, query: PageQuery) => store.list(db, visibleTo(caller), query)

export async function revokeLink({ db }: Parts, caller: Caller, id: string) {
  return transaction(db, async (tx) => {
    const link = await store.find(tx, visibleTo(caller), id)
    // Of two that end it at once, the second finds nothing.
    if (!link || !(await end(tx, caller, link))) throw notFound('link')
    return { success: true as const }
  })
}

/** What an instance does that leaves. */
export async function endOwnLink({ db }: Parts, caller: Caller) {
  if (caller.kind !== 'token') {
    throw new Refusal('token_required', 'A session is no link, and cannot be ended as one.', {
      hint: 'DELETE /api/links/:id ends a link by its id.',
    })
  }
  return transaction(db, async (tx) => {
    const link = await store.findOfToken(tx, caller.orgId, caller.credentialId)
    if (!link) throw notFound('link')
    await end(tx, caller, link)
    return { success: true as const }
  })
}

type Link = { id: string; orgId: string; tokenId: string; name: string; instanceId: string }

/** The row goes with its token (on delete cascade). */
async function end(tx: Tx, caller: Caller, { id, orgId, tokenId, name, instanceId }: Link): Promise<boolean> {
  if (!(await remove(tx, { orgId, userId: null }, tokenId))) return false
  await record(tx, caller, 'instance_link.revoke', id, { name, instanceId, tokenId })
  return true
}
