import { LINK_SCOPES } from '@slipway/contract/link'
import { holds, type Role } from '@slipway/contract/permissions'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import { organizationsOf } from '../../members/store.ts'
import { insertToken } from '../create.ts'
import * as store from './store.ts'

/** Owners and admins: those who may also end the tokens of others, and so any link. */
export const mayLinkInstances = (role: Role) => holds(role, null, 'token:admin')

export function requireMayLink({ role }: Caller): void {
  if (mayLinkInstances(role)) return
  throw new Refusal('permission_denied', 'Only an owner or admin of an organization may link an instance to it.', {
    requires: 'token:admin',
    hint: `Your role there is ${role}: ask an owner or admin to enter the code.`,
  })
}

type Asked = { id: string; name: string; instanceId: string }

/**
 * The credential of a link is an access token with fixed scopes. It has no end of its own: nobody is there to renew it, and one that ran
 * out would stop deployments in the night. It ends when either side revokes it, and with the member who approved it.
 */
export async function issueLink(tx: Tx, caller: Caller, { id: signIn, name, instanceId }: Asked) {
  const input = { name, scopes: [...LINK_SCOPES], projectId: null, expiresAt: null }
  const issued = await insertToken(tx, caller, input, { signIn, instanceId })
  const id = newId('lnk')
  const { orgId, userId: createdBy } = caller
  await store.insert(tx, { id, orgId, tokenId: issued.token.id, instanceId, name, createdBy })
  await record(tx, caller, 'instance_link.create', id, { name, instanceId, tokenId: issued.token.id })
  const { data } = await organizationsOf(tx, createdBy, orgId, { limit: 1 })
  return { ...issued, link: { id, organizationId: orgId, organizationName: data[0]?.name ?? '' } }
}
