import { auth } from '@slipway/contract/auth'
import { me } from '@slipway/contract/me'
import { changePassword } from '../../core/access/change-password.ts'
import { signIn, signOut } from '../../core/access/sign-in.ts'
import { acceptInvitation } from '../../core/members/accept.ts'
import { askToSignUp, finishSignUp } from '../../core/members/sign-up.ts'
import type { Platform } from '../../core/platform.ts'
import type { Dashboard } from '../pages/dashboard.ts'
import { JOIN_HEADERS, JOIN_PAGE } from '../pages/join-page.ts'
import { on, type Route } from '../route.ts'
import { toWeb } from '../web-request.ts'

/** What people do about their own sign-in. Cookies are better-auth's; they pass through as they are. */
export const authRoutes = (platform: Platform, dashboard: Dashboard): Route[] => {
  const at = (path: string) => `${platform.config.publicUrl}/api/auth/${path}`
  return [
    on(auth.join, async ({ request, reply }) => {
      if (dashboard.isBuilt) return void (await dashboard.sendPage(request, reply))
      await reply.headers(JOIN_HEADERS).type('text/html; charset=utf-8').send(JOIN_PAGE)
    }),
    on(auth.signIn, async ({ request, reply, body }) => {
      const { user, cookies } = await signIn(platform, body.email, toWeb(request, at('sign-in/email'), body))
      reply.header('set-cookie', cookies)
      return { success: true as const, user }
    }),
    on(auth.signOut, async ({ request, reply }) => {
      reply.header('set-cookie', await signOut(platform, toWeb(request, at('sign-out'), {})))
      return { success: true as const }
    }),
    on(auth.signUp, ({ request, body }) => askToSignUp(platform, body, { address: request.ip, requestId: request.id })),
    on(auth.finishSignUp, ({ request, body }) =>
      finishSignUp(platform, body, { address: request.ip, requestId: request.id }),
    ),
    on(auth.accept, async ({ request, reply, body }) => {
      const origin = { address: request.ip, requestId: request.id }
      const asked = toWeb(request, at('sign-in/email'), {}).headers
      const { answer, cookies } = await acceptInvitation(platform, body, origin, asked)
      if (cookies.length > 0) reply.header('set-cookie', cookies)
      return answer
    }),
    on(me.changePassword, async ({ caller, request, reply, body }) => {
      const asked = { ...body, revokeOtherSessions: true }
      reply.header('set-cookie', await changePassword(platform, caller, toWeb(request, at('change-password'), asked)))
      return { success: true as const }
    }),
  ]
}
