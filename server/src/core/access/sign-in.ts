import { Refusal } from '../../errors.ts'
import { record } from '../audit/record.ts'
import type { Platform } from '../platform.ts'
import { ADDRESS_HEADER } from './people.ts'
import * as store from './people-store.ts'
import { findMembership } from './store.ts'

type SignedIn = { user: { id: string; name: string; email: string }; token: string }
type Parts = Pick<Platform, 'db' | 'pool' | 'people'>

export async function signIn({ db, pool, people }: Parts, email: string, request: Request) {
  const before = await store.findByEmail(db, email)
  const response = await people.handle(request)
  if (!response.ok) throw await signInRefusal(response)
  const { user, token } = (await response.json()) as SignedIn
  // A reset that committed while the old password was being checked has ended all sessions but this one.
  const after = await store.findByEmail(db, email)
  if (before?.password !== after?.password) {
    await store.endSessionByToken(db, token)
    throw wrongPassword()
  }
  const [member] = await findMembership(pool, [user.id, null])
  if (member) {
    const actor = {
      kind: 'session',
      credentialId: '',
      userId: user.id,
      userName: user.name,
      role: member.role,
    } as const
    const origin = {
      address: request.headers.get(ADDRESS_HEADER) ?? '',
      requestId: request.headers.get('x-request-id') ?? '',
    }
    const limits = { scopes: null, projectId: null, expiresAt: null }
    await record(db, { ...actor, ...origin, ...limits, orgId: member.org_id }, 'session.begin', user.id)
  }
  return { user, cookies: response.headers.getSetCookie() }
}

export async function signOut({ people }: Pick<Platform, 'people'>, request: Request): Promise<string[]> {
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
