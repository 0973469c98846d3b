import type { Pool } from '../../db/statement.ts'
import { Refusal } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import type { Caller } from './caller.ts'
import type { People } from './people.ts'
import { hashSecret, TOKEN_PREFIX } from './secrets.ts'
import { findMembership, findToken, type TokenRow } from './store.ts'

type Origin = Pick<Caller, 'address' | 'client' | 'requestId'>
/** Looks a token up by its hash. */
export type FindToken = (pool: Pool, hash: Buffer) => Promise<TokenRow | undefined>

const find: FindToken = async (pool, hash) => (await findToken(pool, [hash]))[0]

export async function authenticateToken(
  { pool, tokenUse }: { pool: Pool; tokenUse: { note(id: string): void } },
  secret: string,
  origin: Origin,
  findBy = find,
): Promise<Caller> {
  const row = secret.startsWith(TOKEN_PREFIX) ? await findBy(pool, hashSecret(secret)) : undefined
  if (!row) {
    throw new Refusal('credentials_invalid', 'The access token is unknown or was revoked.', {
      hint: 'Check that it was copied whole, or make a new one.',
    })
  }
  if (row.expired && row.expires_at) {
    throw new Refusal('credentials_expired', `The access token expired on ${row.expires_at.toISOString()}.`, {
      hint: 'Make a new one.',
    })
  }
  if (row.unused_for_a_minute) tokenUse.note(row.id)
  return {
    kind: 'token',
    credentialId: row.id,
    ofLink: row.of_link,
    userId: row.user_id,
    userName: row.name,
    orgId: row.org_id,
    role: row.role,
    scopes: row.scopes && new Set(row.scopes),
    projectId: row.project_id,
    expiresAt: row.expires_at,
    ...origin,
  }
}

const LEFT = 'The session worked in an organization that its person does not belong to any more.'

export async function authenticateSession(
  { pool, people }: Pick<BaseParts, 'pool'> & { people: People },
  headers: Headers,
  origin: Origin,
): Promise<Caller> {
  const session = await people.session(headers)
  const [member] = session ? await findMembership(pool, [session.userId, session.activeOrgId]) : []
  if (!session || !member) {
    throw new Refusal('credentials_invalid', session ? LEFT : 'The session has ended.', { hint: 'Sign in again.' })
  }
  return {
    kind: 'session',
    credentialId: session.id,
    ofLink: false,
    userId: session.userId,
    userName: member.name,
    orgId: member.org_id,
    role: member.role,
    scopes: null,
    projectId: null,
    expiresAt: session.expiresAt,
    ...origin,
  }
}
