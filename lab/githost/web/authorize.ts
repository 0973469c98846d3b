import { type Answer, noPage, ok, page, redirect } from '../answer.ts'
import { pollDevice } from './device.ts'
import {
  type Client,
  findClient,
  grantToken,
  issueCode,
  isVerified,
  scopesOf,
  takeCode,
  takeRefreshToken,
} from './grants.ts'
import { ask, toSignIn, type Visit, visitorOf, withQuery } from './visit.ts'

const FIELDS = ['client_id', 'redirect_uri', 'scope', 'state', 'code_challenge', 'code_challenge_method']
const MISMATCH = 'The redirect_uri MUST match the registered callback URL for this application.'
const DENIED = 'The user has denied your application access.'

/** `/login/oauth/authorize`: asks the person once, then leads back with a code. */
export function authorize(visit: Visit): Answer {
  const { host, given, isPost } = visit
  const client = findClient(host, given.get('client_id'))
  if (!client) return noPage()
  const user = visitorOf(visit)
  if (!user) return toSignIn(visit)
  const state = given.get('state')
  const back = (target: string, more: Record<string, string>) => redirect(withQuery(target, { ...more, state }))
  const target = allowedRedirect(client, given.get('redirect_uri'))
  if (!target) {
    const [registered] = client.callbackUrls
    const error = { error: 'redirect_uri_mismatch', error_description: MISMATCH }
    return registered ? back(registered, error) : page('<h1>redirect_uri_mismatch</h1>', 400)
  }
  if (given.has('code_challenge') && given.get('code_challenge_method') !== 'S256') {
    const error_description = 'Only the S256 code challenge method is supported.'
    return back(target, { error: 'invalid_request', error_description })
  }
  const key = `${client.id} ${user.login}`
  if (!isPost && !host.settings.autoApprove && !host.grants.agreed.has(key)) {
    const hidden = FIELDS.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? '']] : []))
    return ask(`Authorize ${client.name}`, '/login/oauth/authorize', Object.fromEntries(hidden), [
      'Authorize',
      'Cancel',
    ])
  }
  if (isPost && given.get('decision') !== 'Authorize')
    return back(target, { error: 'access_denied', error_description: DENIED })
  host.grants.agreed.add(key)
  const scopes = scopesOf(given.get('scope'))
  const challenge = given.get('code_challenge')
  const code = issueCode(host, { clientId: client.id, user, redirectUri: target, scopes, challenge })
  return back(target, { code })
}

/** The same host and port, and a path at or below a registered one. */
function allowedRedirect({ callbackUrls }: Client, wanted: string | null): string | null {
  if (wanted === null) return callbackUrls[0] ?? null
  if (!URL.canParse(wanted)) return null
  const asked = new URL(wanted)
  const fits = callbackUrls.some((one) => {
    const known = new URL(one)
    const below = asked.pathname.startsWith(known.pathname.replace(/\/?$/, '/'))
    return known.origin === asked.origin && (below || asked.pathname === known.pathname)
  })
  return fits ? wanted : null
}

/** Refusals of the token endpoint come with 200, as on the real host. */
const refuse = (error: string, error_description: string, more: Record<string, unknown> = {}): Answer =>
  ok({ error, error_description, error_uri: 'https://docs.github.com/apps/oauth-apps', ...more })

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'

/** `/login/oauth/access_token`: for a code, a refresh token or a device code. */
export function accessToken({ host, given }: Visit): Answer {
  const client = findClient(host, given.get('client_id'))
  const unknown = refuse('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.')
  if (!client) return unknown
  const kind = given.get('grant_type')
  if (kind === DEVICE) return pollDevice(host, client, given.get('device_code') ?? '')
  if (!client.secrets.includes(given.get('client_secret') ?? '')) return unknown
  if (kind === 'refresh_token') {
    const old = takeRefreshToken(host, client, given.get('refresh_token') ?? '')
    if (!old?.user) return refuse('bad_refresh_token', 'The refresh token passed is incorrect or expired.')
    return ok(grantToken(host, client, old.user, old.scopes))
  }
  const code = takeCode(host, client, given.get('code') ?? '')
  const bad = refuse('bad_verification_code', 'The code passed is incorrect or expired.')
  if (!code) return bad
  const uri = given.get('redirect_uri')
  if (uri !== null && uri !== code.redirectUri) return refuse('redirect_uri_mismatch', MISMATCH)
  if (!isVerified(code, given.get('code_verifier'))) return bad
  return ok(grantToken(host, client, code.user, code.scopes))
}
