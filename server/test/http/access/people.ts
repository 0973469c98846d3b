import type { Org, World } from '../../../../test-kit/world.ts'
import { bootstrap } from '../../../src/core/operator/bootstrap.ts'

export const PASSWORD = 'correct horse battery'
export const codeIn = (link: string) => link.split('#')[1] ?? ''

type Answer = { headers: Record<string, unknown> }
export const cookieIn = ({ headers }: Answer) =>
  [(headers['set-cookie'] as string | string[] | undefined) ?? []]
    .flat()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

/** What people do in a browser. The world has to trust 127.0.0.1 as a proxy: everyone comes from an address of their own. */
export function browsers(world: World) {
  const api = world.as('')
  const fromHere = { origin: world.config.publicUrl, 'sec-fetch-site': 'same-origin' }
  let visitors = 0
  const visitor = () => ({ 'x-forwarded-for': `203.0.${++visitors >> 8}.${visitors & 255}` })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    api('POST', path, body, { ...fromHere, ...visitor(), ...headers })
  const signIn = async (email: string, password: string, headers: Record<string, string> = {}) => {
    const answer = await post('/api/auth/sign-in/email', { email, password }, headers)
    return { ...answer, cookie: cookieIn(answer) }
  }
  const accept = (link: string, password = PASSWORD, name?: string) =>
    post('/api/auth/accept', { code: codeIn(link), password, ...(name && { name }) })
  return {
    fromHere,
    post,
    signIn,
    accept,
    join: (cookie: string, link: string) => post('/api/me/invitations', { code: codeIn(link) }, { cookie }),
    me: (cookie: string) => api('GET', '/api/me', undefined, { cookie }),
    /** An owner with a password, as an operator makes one. */
    async owner(email: string, organization = email) {
      const made = await bootstrap(world.platform, { email, organization, again: true, days: 1 })
      await accept(made.link, PASSWORD, email.split('@')[0])
      return { ...made, email, cookie: (await signIn(email, PASSWORD)).cookie }
    },
    invite: async ({ owner }: Org, email: string): Promise<string> =>
      (await owner.api('POST', '/api/members/invitations', { email, role: 'developer' })).body.link,
  }
}
