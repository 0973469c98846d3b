import type { GithostRule } from '@slipway/contract/githost-settings'
import { transaction } from '../../db/database.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import * as store from './rule-store.ts'
import type { GithostParts } from './sources.ts'

export const listRules = async ({ db }: GithostParts, { orgId }: Caller) => ({ rules: await store.list(db, orgId) })

/** All at once: which of two rules wins is a matter of the whole list. */
export async function setRules({ db }: GithostParts, caller: Caller, { rules }: { rules: GithostRule[] }) {
  return transaction(db, async (tx) => {
    const before = await store.list(tx, caller.orgId)
    await store.replace(tx, caller.orgId, rules)
    await record(tx, caller, 'githost.rules', null, { before, rules })
    return { rules: await store.list(tx, caller.orgId) }
  })
}
