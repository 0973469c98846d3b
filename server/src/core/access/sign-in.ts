import { Refusal } from '../../errors.ts'
import { record } from '../audit/record.ts'
import type { Platform } from '../platform.ts'
import { ADDRESS_HEADER } from './people.ts'
import { findMembership } from './store.ts'

type Parts = Pick<Platform, 'db' | 'pool' | 'people'>

export async function signIn({ db, pool, people }: Parts, request: Request) {
  const response = await people.handle(request)
  if (!response.ok) throw await signInRefusal(response)
  const { user } = (await response.json()) as { user: { id: string; name: string; email: string } }
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
  return new Refusal('sign_in_failed', 'Email and password do not match.', {
    hint: 'Check both; an owner can invite you again if the password is lost.',
  })
}
