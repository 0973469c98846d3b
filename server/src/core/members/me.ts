import type { Me } from '@slipway/contract/me'
import type { PageQuery } from '@slipway/contract/pages'
import { SCOPES } from '@slipway/contract/permissions'
import type { z } from 'zod'
import { transaction } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import { type Caller, isOfProject, may, requireSession } from '../access/caller.ts'
import * as people from '../access/people-store.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import * as members from './store.ts'

export async function showMe({ db }: Pick<BaseParts, 'db'>, caller: Caller): Promise<z.output<typeof Me>> {
  const person = await people.find(db, caller.userId, caller.orgId)
  return {
    user: { id: caller.userId, name: person.name, email: person.email },
    organization: { id: caller.orgId, name: person.orgName },
    role: caller.role,
    permissions: SCOPES.filter((scope) => may(caller, scope) && (caller.projectId === null || isOfProject(scope))),
    credential: {
      kind: caller.kind,
      id: caller.credentialId,
      projectId: caller.projectId,
      expiresAt: caller.expiresAt?.toISOString() ?? null,
    },
  }
}

/** A token belongs to one organization and does not tell of the others. */
export async function listOrganizations({ db }: Pick<BaseParts, 'db'>, caller: Caller, query: PageQuery) {
  return members.organizationsOf(db, caller.userId, caller.kind === 'token' ? caller.orgId : null, query)
}

export async function activateOrganization({ db }: Pick<BaseParts, 'db'>, caller: Caller, orgId: string) {
  requireSession(caller)
  return transaction(db, async (tx) => {
    const member = await members.find(tx, orgId, caller.userId)
    if (!member) throw notFound('organization')
    await people.activateOrganization(tx, caller.credentialId, orgId)
    // In the log of those whose organization is entered.
    const detail = { session: caller.credentialId }
    await record(tx, { ...caller, orgId }, 'session.enter', caller.userId, detail)
    return { success: true as const }
  })
}
