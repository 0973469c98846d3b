import { cliLogin } from '@slipway/contract/cli-login'
import { ERROR_CODES } from '@slipway/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../core/access/caller.ts'
import { signIn, signOut } from '../../core/access/sign-in.ts'
import { showMe } from '../../core/members/me.ts'
import type { Platform } from '../../core/platform.ts'
import { askToSignIn } from '../../core/tokens/cli/ask.ts'
import { approveSignIn, denySignIn } from '../../core/tokens/cli/decide.ts'
import { showSignIn } from '../../core/tokens/cli/find.ts'
import { redeemSignIn } from '../../core/tokens/cli/redeem.ts'
import { Refusal } from '../../errors.ts'
import { refuseCrossSite } from '../csrf.ts'
import * as pages from '../pages/cli-page.ts'
import { readForm } from '../pages/form.ts'
import { visitorOf } from '../pages/visitor.ts'
import { on, type Route } from '../route.ts'
import { toWeb } from '../web-request.ts'

const originOf = ({ ip, id }: FastifyRequest) => ({ address: ip, requestId: id })

export const cliLoginRoutes = (platform: Platform): Route[] => [
  on(cliLogin.ask, ({ body, request }) => askToSignIn(platform, body, originOf(request))),
  on(cliLogin.show, ({ caller, params }) => showSignIn(platform, caller, params.userCode)),
  on(cliLogin.approve, ({ caller, params, body }) => approveSignIn(platform, caller, params.userCode, body)),
  on(cliLogin.deny, ({ caller, params }) => denySignIn(platform, caller, params.userCode)),
  on(cliLogin.token, ({ body, request }) => redeemSignIn(platform, body, originOf(request))),
  on(cliLogin.cliPage, ({ query, ...visit }) => open(platform, { path: '/cli', code: query.code ?? '' }, visit)),
  on(cliLogin.devicePage, (visit) => open(platform, { path: '/device', code: '' }, visit)),
  on(cliLogin.sendCliPage, async ({ stream, ...visit }) => take(platform, '/cli', await readForm(stream), visit)),
  on(cliLogin.sendDevicePage, async ({ stream, ...visit }) => take(platform, '/device', await readForm(stream), visit)),
]

type Visit = { request: FastifyRequest; reply: FastifyReply }
type Form = Awaited<ReturnType<typeof readForm>>

async function show({ reply }: Visit, { status, html }: pages.Html): Promise<void> {
  await reply.code(status).headers(pages.CLI_HEADERS).type('text/html; charset=utf-8').send(html)
}

/** Whoever is not signed in does that first; what comes then says which machine asks. */
async function open(platform: Platform, place: pages.Place, visit: Visit): Promise<void> {
  const visitor = await visitorOf(platform, visit.request)
  if (!visitor) return show(visit, pages.signInPage(place))
  const { user } = await showMe(platform, visitor)
  if (place.path === '/device' && place.code === '') return show(visit, pages.codePage(user.email))
  await show(visit, await looked(platform, place, visitor, user.email))
}

/**
 * Phishing (RFC 8628, 5.4). A link may bring the code only where the token goes to the machine whose browser opened it: such a
 * request is of no use to who sent the link. Every other code has to be typed.
 */
async function looked(platform: Platform, place: pages.Place, visitor: Caller, email: string): Promise<pages.Html> {
  try {
    const asked = await showSignIn(platform, visitor, place.code)
    if (place.path === '/device' || asked.browserHere) return pages.confirmPage(place, asked, email)
    return pages.problemPage(
      'This code cannot be used by a link. If your own terminal shows it, enter it at /device.',
      400,
    )
  } catch (error) {
    const { words, status } = told(error)
    return place.path === '/device' ? pages.codePage(email, words, status) : pages.problemPage(words, status)
  }
}

/** A "no" in the words of the page; anything else is not ours to tell. */
function told(error: unknown): { words: string; status: number } {
  if (!(error instanceof Refusal)) throw error
  const { code, message, details } = error
  return { words: details.hint ? `${message} ${details.hint}` : message, status: ERROR_CODES[code][0] }
}

async function take(platform: Platform, path: pages.Place['path'], form: Form, visit: Visit): Promise<void> {
  // Whoever is signed in is so by a cookie, which a browser sends along for any page.
  refuseCrossSite(visit.request, platform.config.publicUrl)
  const place = { path, code: (form.code ?? '').slice(0, 32) }
  if (form.act === 'sign-in') return signInHere(platform, place, form, visit)
  if (form.act === 'sign-out') return signOutHere(platform, place, visit)
  const visitor = await visitorOf(platform, visit.request)
  if (!visitor) return show(visit, pages.signInPage(place, 'Your session has ended.', 401))
  if (form.act === 'approve' || form.act === 'deny') return decide(platform, place, form, visitor, visit)
  await open(platform, place, visit)
}

async function decide(platform: Platform, place: pages.Place, form: Form, visitor: Caller, visit: Visit) {
  try {
    if (form.act === 'deny') {
      await denySignIn(platform, visitor, place.code)
      return await show(visit, pages.deniedPage())
    }
    const chosen = form.organization ? { organizationId: form.organization } : {}
    const everything = { scopes: null, projectId: null, elsewhere: place.path === '/device' }
    const { redirect } = await approveSignIn(platform, visitor, place.code, { ...chosen, ...everything })
    await show(visit, pages.approvedPage(redirect))
  } catch (error) {
    const { words, status } = told(error)
    await show(visit, pages.problemPage(words, status))
  }
}

async function signInHere(platform: Platform, place: pages.Place, form: Form, visit: Visit): Promise<void> {
  const { password = '' } = form
  const email = (form.email ?? '').toLowerCase()
  const at = `${platform.config.publicUrl}/api/auth/sign-in/email`
  try {
    const { cookies } = await signIn(platform, email, toWeb(visit.request, at, { email, password }))
    await back(visit, place, cookies)
  } catch (error) {
    const { words, status } = told(error)
    await show(visit, pages.signInPage(place, words, status))
  }
}

async function signOutHere(platform: Platform, place: pages.Place, visit: Visit): Promise<void> {
  const at = `${platform.config.publicUrl}/api/auth/sign-out`
  await back(visit, place, await signOut(platform, toWeb(visit.request, at, {})))
}

/** To one of the two pages and nowhere else: no address of a form is followed. */
async function back({ reply }: Visit, { path, code }: pages.Place, cookies: string[]): Promise<void> {
  const query = path === '/cli' && code !== '' ? `?code=${encodeURIComponent(code)}` : ''
  await reply.header('set-cookie', cookies).redirect(`${path}${query}`, 303)
}
