import { createHash, randomBytes } from 'node:crypto'
import type { Org, World } from '../../../../test-kit/world.ts'

export const REDIRECT = 'http://127.0.0.1:49152/done'
type Asked = { redirect?: string; name?: string; from?: string }
type Headers = Record<string, string>

/** Command lines that ask to be signed in, each from an address of its own: the world has to trust 127.0.0.1 as a proxy. */
export function commandLines(world: World) {
  const api = world.as('')
  let machines = 0
  const address = () => `198.51.${++machines >> 8}.${machines & 255}`
  const send = (body: object, from = address()) => api('POST', '/api/auth/cli', body, { 'x-forwarded-for': from })
  const ask = async ({ redirect, name = 'ada@laptop', from = address() }: Asked = {}) => {
    const verifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const { status, body } = await send({ challenge, name, ...(redirect && { redirect }) }, from)
    const redeem = (more: object = {}) =>
      api('POST', '/api/auth/cli/token', { requestId: body.requestId, verifier, ...more }, { 'x-forwarded-for': from })
    return {
      status,
      ...(body as Record<'requestId' | 'userCode' | 'verifyUrl' | 'expiresAt', string>),
      verifier,
      redeem,
      from,
    }
  }
  /** As a signed-in person, with what a browser sends along. */
  const by = (session: Headers) => ({
    look: (code: string, more: Headers = {}) =>
      api('GET', `/api/auth/cli/${encodeURIComponent(code)}`, undefined, { ...session, ...more }),
    approve: (code: string, choice: object = {}, more: Headers = {}) =>
      api('POST', `/api/auth/cli/${code}/approve`, choice, { ...session, ...more }),
    deny: (code: string, more: Headers = {}) =>
      api('POST', `/api/auth/cli/${code}/deny`, undefined, { ...session, ...more }),
  })
  return {
    send,
    ask,
    by,
    /** Somebody new, whose tries are nobody else's. */
    visitor: async (org: Org) => {
      const person = await world.person(org.id, 'developer')
      // All of them sign in from one address.
      await world.platform.pool.query('delete from rate_limit')
      return { ...person, ...by(await world.session(person)) }
    },
    /** The next call for a token is not too soon. */
    rest: () => world.platform.pool.query('update cli_sign_in set polled_at = null'),
    /** As many minutes as these go by for all requests. */
    later: (minutes: number) =>
      world.platform.pool.query(
        `update cli_sign_in set expires_at = expires_at - $1 * interval '1 minute', code_expires_at = code_expires_at - $1 * interval '1 minute'`,
        [minutes],
      ),
    audit: async ({ owner }: Org, action: string) => (await owner.api('GET', `/api/audit?action=${action}`)).body.data,
  }
}

export const codeIn = (redirect: string) => new URL(redirect).searchParams.get('code') ?? ''
