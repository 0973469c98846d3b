import type { CliSignIn } from '@slipway/contract/cli-login'
import { LINK_SCOPES } from '@slipway/contract/link'
import { Refusal } from '../../../errors.ts'
import { type Caller, requireSession } from '../../access/caller.ts'
import { hashUserCode, readUserCode } from '../../access/user-code.ts'
import type { Denials } from '../../audit/denials.ts'
import { organizationsOf } from '../../members/store.ts'
import { networkOf } from '../../networks/network-of.ts'
import type { BaseParts } from '../../parts.ts'
import { mayLinkInstances } from '../links/issue.ts'
import * as store from './store.ts'
import { countCode } from './tries.ts'

export const TOKEN_DAYS = 90

export type SignInParts = Pick<BaseParts, 'db' | 'keys'> & { denials: Denials }

/** Which machine or instance asks, from where, and what it would get: what somebody needs to see that it is their own. */
export async function showSignIn(parts: SignInParts, caller: Caller, typed: string): Promise<CliSignIn> {
  const found = await requirePending(parts, caller, typed)
  const { data } = await organizationsOf(parts.db, caller.userId, null, { limit: 200 })
  const { name, instanceId } = found
  const chosen = data.filter(({ role }) => instanceId === null || mayLinkInstances(role))
  const here = chosen.some(({ id }) => id === caller.orgId) ? undefined : chosen[0]?.id
  return {
    userCode: found.userCode,
    name,
    instance: instanceId === null ? null : { id: instanceId, name },
    address: found.address,
    sameAddress: networkOf(found.address) === networkOf(caller.address),
    browserHere: found.redirect !== null,
    askedAt: found.createdAt.toISOString(),
    expiresAt: found.expiresAt.toISOString(),
    organizationId: here ?? caller.orgId,
    organizations: chosen.map(({ id, name, role }) => ({ id, name, role })),
    token:
      instanceId === null ? { name, days: TOKEN_DAYS, scopes: null } : { name, days: null, scopes: [...LINK_SCOPES] },
  }
}

/**
 * The request of a code that nobody has decided about. A token cannot ask: whoever has one that leaked would have it make
 * others. What is unknown, over, or somebody else's looks the same.
 */
export async function requirePending({ db, keys, denials }: SignInParts, caller: Caller, typed: string) {
  requireSession(caller)
  const userCode = readUserCode(typed)
  if (userCode === null) throw noSuchSignIn()
  const takeBack = await countCode(db, caller)
  const found = await store.findPending(db, hashUserCode(keys, userCode))
  if (!found) {
    denials.note({ by: caller, action: 'cli_sign_in.refused', target: caller.userId, detail: {} })
    throw noSuchSignIn()
  }
  await takeBack()
  return { ...found, userCode }
}

export const noSuchSignIn = () =>
  new Refusal(
    'not_found',
    'No command line waits with this code, and no instance: it is mistyped, was answered, or is older than 10 minutes.',
    {
      hint: 'Compare it with what shows it, or begin again there.',
    },
  )
