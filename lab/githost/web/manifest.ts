import { randomBytes } from 'node:crypto'
import { type Answer, noPage, notFound, ok, page, redirect } from '../answer.ts'
import { addApp } from '../apps.ts'
import { findAccount } from '../host.ts'
import type { Host, Permissions } from '../model.ts'
import type { Call } from '../route.ts'
import { integration } from '../shapes/app.ts'
import { ask, toSignIn, type Visit, visitorOf, withQuery } from './visit.ts'

type Manifest = {
  name?: string
  url?: string
  hook_attributes?: { url?: string; active?: boolean }
  redirect_url?: string
  callback_urls?: string[]
  setup_url?: string
  public?: boolean
  default_events?: string[]
  default_permissions?: Permissions
  request_oauth_on_install?: boolean
}

/** `settings/apps/new`: a page that asks, then the app, then back with a code that lives for an hour. */
export function registerApp(visit: Visit, organization: string | null): Answer {
  const { host, url, given, isPost } = visit
  const user = visitorOf(visit)
  if (!user) return toSignIn(visit)
  const owner = organization === null ? user : findAccount(host, organization)
  if (!owner || (owner !== user && owner.members.get(user.login) !== 'admin')) return noPage()
  if (!isPost) return page('<h1>Register new GitHub App</h1>')
  const manifest = parse(given.get('manifest') ?? '')
  const problems = manifest ? problemsOf(host, manifest) : ['it is not JSON']
  if (!manifest || problems.length > 0) return page(`<h1>Invalid manifest</h1><p>${problems.join(', ')}</p>`, 422)
  if (given.get('decision') === null && !host.settings.autoApprove) {
    const hidden = { manifest: JSON.stringify(manifest) }
    return ask(`Create GitHub App for ${owner.login}`, url.pathname + url.search, hidden, ['Create GitHub App'])
  }
  const hook = manifest.hook_attributes
  const made = addApp(host, {
    name: manifest.name ?? `app-${host.nextId()}`,
    owner,
    permissions: manifest.default_permissions ?? {},
    events: manifest.default_events ?? [],
    hookUrl: hook?.url ?? null,
    hookActive: hook?.active ?? true,
    webhookSecret: hook ? randomBytes(20).toString('hex') : null,
    callbackUrls: manifest.callback_urls ?? [],
    setupUrl: manifest.setup_url ?? null,
    public: manifest.public ?? false,
    requestOauthOnInstall: manifest.request_oauth_on_install ?? false,
  })
  const code = randomBytes(20).toString('hex')
  host.grants.manifests.set(code, { ...made, at: Date.now() })
  return redirect(withQuery(manifest.redirect_url ?? '', { code, state: url.searchParams.get('state') }))
}

function parse(text: string): Manifest | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

const MOST_NAME = 34
const isLocal = (url: string) => /^https?:\/\/(localhost|0\.0\.0\.0)([:/]|$)/.test(url)

function problemsOf({ apps }: Host, { name = '', url, redirect_url: back, hook_attributes: hook }: Manifest): string[] {
  const taken = [...apps.values()].some((app) => app.name.toLowerCase() === name.toLowerCase())
  return [
    ...(url ? [] : ['url is required']),
    ...(back && URL.canParse(back) ? [] : ['redirect_url must be an address']),
    ...(hook && !hook.url ? ['hook_attributes.url is required'] : []),
    ...(hook?.url && hook.active !== false && isLocal(hook.url) ? ['hook url is not reachable from outside'] : []),
    ...(name.length > MOST_NAME ? ['name is too long'] : []),
    ...(taken ? ['name is already taken'] : []),
  ]
}

const HOUR_MS = 3_600_000

/** Needs no credential but the code, which works once. */
export function convertManifest({ host, param }: Call): Answer {
  const found = host.grants.manifests.get(param('code'))
  if (!found || Date.now() - found.at > HOUR_MS) throw notFound()
  host.grants.manifests.delete(param('code'))
  const { app, pem } = found
  const secrets = { client_secret: app.clientSecrets[0], webhook_secret: app.webhookSecret, pem }
  return ok({ ...integration(host, app), ...secrets }, 201)
}
