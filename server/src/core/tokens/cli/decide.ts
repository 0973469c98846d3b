import type { Approval } from '@slipway/contract/cli-login'
import { type Tx, transaction } from '../../../db/database.ts'
import { notFound } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { hashSecret, newCode } from '../../access/secrets.ts'
import { record } from '../../audit/record.ts'
import * as members from '../../members/store.ts'
import { requireProject } from '../../projects/find.ts'
import { allowedScopes } from '../create.ts'
import { requireMayLink } from '../links/issue.ts'
import { noSuchSignIn, requirePending, type SignInParts } from './find.ts'
import * as store from './store.ts'

/** From the browser's redirect to the call of the command line is a moment. */
const CODE_SECONDS = 60

/** Lets the machine in as this person, or links the instance, in one of their organizations. The token itself is made when it is fetched. */
export async function approveSignIn(parts: SignInParts, caller: Caller, typed: string, choice: Approval) {
  const found = await requirePending(parts, caller, typed)
  return transaction(parts.db, async (tx) => {
    const as = await callerIn(tx, caller, choice.organizationId ?? caller.orgId)
    const { scopes, projectId } = await allowed(tx, as, found, choice)
    const code = found.redirect === null || choice.elsewhere ? null : newCode()
    const codeHash = code === null ? null : hashSecret(code)
    const who = { orgId: as.orgId, userId: as.userId, sessionId: as.credentialId }
    const changes = { ...who, status: 'approved' as const, scopes, projectId, codeHash }
    if (!(await store.decide(tx, found.id, changes, code === null ? null : CODE_SECONDS))) throw noSuchSignIn()
    await recordAsked(tx, as, found)
    await record(tx, as, `${nounOf(found)}.approve`, found.id, { ...told(found), scopes, projectId })
    return { success: true as const, redirect: code && `${found.redirect}?code=${code}` }
  })
}

/** What a link may do is fixed, whatever is sent: see LINK_SCOPES. */
async function allowed(tx: Tx, as: Caller, { instanceId }: store.SignInRow, { scopes, projectId }: Approval) {
  if (instanceId !== null) {
    requireMayLink(as)
    return { scopes: null, projectId: null }
  }
  const kept = allowedScopes(as, scopes)
  if (projectId !== null) await requireProject(tx, as, projectId)
  return { scopes: kept, projectId }
}

const nounOf = ({ instanceId }: store.SignInRow) => (instanceId === null ? 'cli_sign_in' : 'instance_link')
const told = ({ name, address, instanceId }: store.SignInRow) => ({
  name,
  from: address,
  ...(instanceId !== null && { instanceId }),
})

export async function denySignIn(parts: SignInParts, caller: Caller, typed: string) {
  const found = await requirePending(parts, caller, typed)
  return transaction(parts.db, async (tx) => {
    if (!(await store.decide(tx, found.id, { status: 'denied' }))) throw noSuchSignIn()
    await recordAsked(tx, caller, found)
    await record(tx, caller, `${nounOf(found)}.deny`, found.id, told(found))
    return { success: true as const }
  })
}

/** Nobody was known when it was asked: it is told where it is decided. */
async function recordAsked(tx: Tx, { orgId, requestId }: Caller, asked: store.SignInRow): Promise<void> {
  const name = asked.instanceId === null ? 'a command line' : 'an instance'
  const actor = { kind: 'system', name, orgId, address: asked.address, requestId } as const
  const at = asked.createdAt.toISOString()
  await record(tx, actor, `${nounOf(asked)}.ask`, asked.id, { name: asked.name, at })
}

/** The same person in an organization of theirs, with the role that they have there. */
export async function callerIn(tx: Tx, caller: Caller, orgId: string): Promise<Caller> {
  const member = await members.find(tx, orgId, caller.userId)
  if (!member) throw notFound('organization')
  return { ...caller, orgId, role: member.role, userName: member.name }
}
