import { type Answer, ApiError, noContent, notFound, ok } from '../answer.ts'
import { requireApp } from '../credentials.ts'
import { listDeliveries, repeatDelivery, showDelivery } from '../events/log.ts'
import { appReceiver, tellRevoked } from '../events/tell.ts'
import { appByClientId, appBySlug, covers, findAccount, findRepository, installationOn, now } from '../host.ts'
import type { Account, Json, Token } from '../model.ts'
import { type Call, list, route } from '../route.ts'
import { simpleUser } from '../shapes/account.ts'
import { installationShape, integration } from '../shapes/app.ts'
import { convertManifest } from '../web/manifest.ts'

const ownInstallations = ({ host, actor }: Call) => {
  const { id } = requireApp(actor)
  return [...host.installations.values()].filter(({ app }) => app.id === id)
}

function hookConfig({ actor }: Call): Answer {
  const { webhookSecret, hookUrl } = requireApp(actor)
  const secret = webhookSecret ? { secret: '********' } : {}
  return ok({ content_type: 'json', insecure_ssl: '0', ...secret, url: hookUrl ?? '' })
}

function changeHookConfig(call: Call): Answer {
  const app = requireApp(call.actor)
  const { url, secret } = call.body
  if (typeof url === 'string') app.hookUrl = url
  if (typeof secret === 'string') app.webhookSecret = secret
  return hookConfig(call)
}

function installationFor(call: Call, account: Account | undefined): Answer {
  const app = requireApp(call.actor)
  const found = account && installationOn(call.host, app.id, account)
  if (!found) throw notFound()
  return ok(installationShape(call.host, found))
}

function installationOfRepository(call: Call): Answer {
  const app = requireApp(call.actor)
  const repository = findRepository(call.host, call.param('owner'), call.param('repo'))
  const found = repository && installationOn(call.host, app.id, repository.owner)
  if (!found || !covers(found, repository)) throw notFound()
  return ok(installationShape(call.host, found))
}

/** A client may look at and end what was granted to it, and nothing else. */
function requireGranted({ host, actor, body }: Call): Token {
  if (actor.kind !== 'client') throw notFound()
  const client = host.oauthApps.get(actor.clientId) ?? appByClientId(host, actor.clientId)
  if (!client?.clientSecrets.includes(actor.secret)) throw notFound()
  if (typeof body.access_token !== 'string')
    throw new ApiError(422, 'Validation Failed', {
      errors: [{ resource: 'OauthAccess', code: 'missing_field', field: 'access_token' }],
    })
  const token = host.tokens.get(body.access_token)
  const expired = token?.expiresAt != null && token.expiresAt <= Date.now()
  if (!token || expired || token.clientId !== client.clientId) throw notFound()
  return token
}

function authorization({ host }: Call, { value, scopes, clientId, user, expiresAt }: Token): Json {
  return {
    id: 1,
    url: `${host.api}/authorizations/1`,
    scopes,
    token: value,
    token_last_eight: value.slice(-8),
    hashed_token: '',
    app: { client_id: clientId ?? '', name: 'app', url: `https://${host.name}` },
    note: null,
    note_url: null,
    created_at: now(),
    updated_at: now(),
    fingerprint: null,
    user: user && simpleUser(host, user),
    expires_at: expiresAt && new Date(expiresAt).toISOString(),
  }
}

function revokeGrant(call: Call): Answer {
  const { clientId, user } = requireGranted(call)
  for (const one of [...call.host.tokens.values()])
    if (one.clientId === clientId && one.user?.id === user?.id) call.host.tokens.delete(one.value)
  const app = appByClientId(call.host, clientId ?? '')
  if (app && user) tellRevoked(call.host, app, user)
  return noContent()
}

export const appRoutes = [
  route('GET /app', (call) => {
    const app = requireApp(call.actor)
    return ok({ ...integration(call.host, app), installations_count: ownInstallations(call).length })
  }),
  route('GET /apps/:slug', ({ host, param }) => {
    const app = appBySlug(host, param('slug'))
    if (!app) throw notFound()
    return ok(integration(host, app))
  }),
  route('GET /app/hook/config', hookConfig),
  route('PATCH /app/hook/config', changeHookConfig),
  route('GET /app/hook/deliveries', (call) => listDeliveries(call, requireApp(call.actor).deliveries)),
  route('GET /app/hook/deliveries/:delivery', (call) => showDelivery(call, requireApp(call.actor).deliveries)),
  route('POST /app/hook/deliveries/:delivery/attempts', (call) =>
    repeatDelivery(call, appReceiver(requireApp(call.actor))),
  ),
  route('GET /app/installations', (call) =>
    list(call, ownInstallations(call), (one) => installationShape(call.host, one)),
  ),
  route('GET /users/:username/installation', (call) =>
    installationFor(call, findAccount(call.host, call.param('username'))),
  ),
  route('GET /orgs/:org/installation', (call) => installationFor(call, findAccount(call.host, call.param('org')))),
  route('GET /repos/:owner/:repo/installation', installationOfRepository),
  route('POST /app-manifests/:code/conversions', convertManifest),
  route('POST /applications/:client/token', (call) => ok(authorization(call, requireGranted(call)))),
  route('DELETE /applications/:client/token', (call) => {
    call.host.tokens.delete(requireGranted(call).value)
    return noContent()
  }),
  route('DELETE /applications/:client/grant', revokeGrant),
]
