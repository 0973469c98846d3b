import type { NewToken } from '@slipway/contract/access'
import { ROLE_PERMISSIONS, type Scope } from '@slipway/contract/permissions'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { Refusal } from '../../errors.ts'
import { type Caller, may } from '../access/caller.ts'
import { hashSecret, newTokenSecret } from '../access/secrets.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { requireProject } from '../projects/find.ts'
import * as store from './store.ts'

/** A token never holds more, reaches further or lives longer than the credential that makes it. */
export const createToken = ({ db }: Pick<BaseParts, 'db'>, caller: Caller, input: NewToken) =>
  transaction(db, (tx) => insertToken(tx, caller, input))

/** `more`: what the log says of how it came about. */
export async function insertToken(tx: Tx, caller: Caller, input: NewToken, more: Record<string, unknown> = {}) {
  const scopes = allowedScopes(caller, input.scopes)
  const projectId = caller.projectId ?? input.projectId
  const expiresAt = allowedExpiry(caller, input.expiresAt)
  const secret = newTokenSecret()
  const id = newId('tok')
  if (input.projectId !== null) await requireProject(tx, caller, input.projectId)
  await store.insert(tx, {
    id,
    orgId: caller.orgId,
    userId: caller.userId,
    name: input.name,
    hash: hashSecret(secret),
    hint: secret.slice(0, 8),
    scopes,
    projectId,
    expiresAt,
  })
  await record(tx, caller, 'token.create', id, { name: input.name, scopes, projectId, expiresAt, ...more })
  const token = await store.find(tx, { orgId: caller.orgId, userId: caller.userId }, id)
  if (!token) throw new Error('a token that was just made is gone')
  return { success: true as const, token, secret }
}

export function allowedScopes(caller: Caller, wanted: Scope[] | null): Scope[] | null {
  if (wanted === null) {
    return caller.scopes && [...ROLE_PERMISSIONS[caller.role]].filter((scope) => may(caller, scope))
  }
  const beyond = wanted.find((scope) => !may(caller, scope))
  if (beyond === undefined) return [...new Set(wanted)].sort()
  throw new Refusal('scope_exceeds_caller', `A token with ${beyond} cannot be made by a caller who lacks it.`, {
    field: 'scopes',
    hint: 'Leave the scope out, or ask someone who holds it.',
  })
}

function allowedExpiry(caller: Caller, wanted: string | null): Date | null {
  const limit = caller.kind === 'token' ? caller.expiresAt : null
  if (wanted === null) return limit
  const expiry = new Date(wanted)
  if (expiry.getTime() <= Date.now()) {
    throw new Refusal('invalid_request', 'The expiry is in the past.', { field: 'expiresAt' })
  }
  return limit && expiry > limit ? limit : expiry
}
