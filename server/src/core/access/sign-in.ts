import { transaction } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import type { Denials } from '../audit/denials.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import { ADDRESS_HEADER, type People } from './people.ts'
import * as store from './people-store.ts'
import * as sessions from './sessions-store.ts'
import { findMembership } from './store.ts'

type SignedIn = { user: { id: string; name: string; email: string }; token: string }
export type SignInParts = Pick<BaseParts, 'db' | 'pool'> & { people: People; denials: Denials }
type Entering = { email: string /** Null is the person's oldest organization. */; orgId: string | null }
type Begun = { kind: 'in'; user: SignedIn['user']; cookies: string[] } | { kind: 'refused'; refusal: Refusal }

/** The session begins in the person's oldest organization, and stays there until they choose another one. */
export async function signIn(parts: SignInParts, email: string, request: Request) {
  const begun = await beginSession(parts, { email, orgId: null }, () => parts.people.handle(request), request.headers)
  if (begun.kind === 'refused') throw begun.refusal
  return { user: begun.user, cookies: begun.cookies }
}

/** `attempt`: checks the password and makes a session of it, or does not. */
export async function beginSession(
  { db, pool, denials }: SignInParts,
  { email, orgId }: Entering,
  attempt: () => Promise<Response>,
  headers: Headers,
): Promise<Begun> {
  const origin = { address: headers.get(ADDRESS_HEADER) ?? '', requestId: headers.get('x-request-id') ?? '' }
  const before = await store.findByEmail(db, email)
  const refused = (refusal: Refusal, why: string = refusal.code): Begun => {
    const note = { action: 'session.refused', detail: { why }, ...origin } as const
    if (before) denials.note({ claimed: before.id, target: before.id, ...note })
    return { kind: 'refused', refusal }
  }
  const response = await attempt()
  if (!response.ok) return refused(await signInRefusal(response))
  const { user, token } = (await response.json()) as SignedIn
  // A reset that committed while the old password was being checked has ended all sessions but this one.
  const after = await store.findByEmail(db, email)
  if (before?.password !== after?.password) {
    await store.endSessionByToken(db, token)
    return refused(wrongPassword(), 'the password was reset')
  }
  const [member] = await findMembership(pool, [user.id, orgId])
  if (member) {
    const actor = { kind: 'session', userId: user.id, userName: user.name, role: member.role } as const
    const caller = { ...actor, ...origin, ...UNLIMITED, orgId: member.org_id }
    await transaction(db, async (tx) => {
      const credentialId = await sessions.enter(tx, token, member.org_id)
      await record(tx, { ...caller, credentialId }, 'session.begin', user.id, { session: credentialId })
    })
  }
  return { kind: 'in', user, cookies: response.headers.getSetCookie() }
}

const UNLIMITED = { scopes: null, projectId: null, expiresAt: null } as const

export async function signOut({ people }: { people: People }, request: Request): Promise<string[]> {
  const response = await people.handle(request)
  if (!response.ok) throw await signInRefusal(response)
  return response.headers.getSetCookie()
}

export async function signInRefusal(response: Response): Promise<Refusal> {
  const { message = '' } = ((await response.json().catch(() => null)) ?? {}) as { message?: string }
  if (response.status === 429) {
    const retryAfter = Number(response.headers.get('x-retry-after') ?? 60)
    return new Refusal('rate_limited', 'Too many attempts.', { retryAfter, hint: `Wait ${retryAfter} seconds.` })
  }
  if (response.status === 403) {
    return new Refusal('cross_site', 'The request does not come from this instance.', {
      hint: 'Send it from the address in SLIPWAY_PUBLIC_URL.',
    })
  }
  if (response.status >= 500) throw new Error(`signing in failed: ${response.status} ${message}`)
  return wrongPassword()
}

const wrongPassword = () =>
  new Refusal('sign_in_failed', 'Email and password do not match.', {
    hint: 'Check both; if the password is lost, whoever runs the instance can make a link that sets a new one.',
  })
