import { App, Octokit } from 'octokit'
import { openBrowser, queryOf } from './browser.ts'
import { at, type Client, column, count } from './client.ts'

const BACK = 'https://platform.test/api/githost/connect/redirect'
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const statusOf = (asked: Promise<{ status: number }>) =>
  asked.then(
    (answer) => answer.status,
    (error: { status: number }) => error.status,
  )

/** An app of one's own, from the manifest to its end, with octokit as the client. */
export async function appCases(client: Client): Promise<void> {
  const { lab, receive } = client
  for (const login of ['ada', 'bob', 'carol', 'mallory']) lab.do.user({ login })
  lab.do.org({ login: 'acme', members: { ada: 'admin', bob: 'member' } })
  lab.do.org({ login: 'evil', members: { mallory: 'admin' } })
  for (const name of ['shop', 'api', 'docs']) {
    const files = { 'package.json': `{"name":"${name}"}` }
    await lab.do.repo({ full: `acme/${name}`, private: true, files })
  }
  const wire = await receive([])
  const made = await manifestCases(client, wire.url)
  wire.secrets.push(made.webhookSecret)
  const installationId = await installCases(client, made)
  await tokenCases(client, made, installationId)
  const jwt = await keyCases(client, made)
  await eventCases(client, made, installationId, jwt, wire)
  wire.close()
}

type MadeApp = Awaited<ReturnType<typeof manifestCases>>
type Wire = Awaited<ReturnType<Client['receive']>>

async function manifestCases(client: Client, hookUrl: string) {
  const { call, fetch, web, is, status } = client
  const ada = openBrowser(client, 'ada')
  const write = 'write'
  const permissions = { contents: 'read', statuses: write, deployments: write, administration: write, checks: write }
  const addresses = { url: 'https://platform.test', redirect_url: BACK, callback_urls: [BACK], setup_url: BACK }
  const hook = { hook_attributes: { url: hookUrl }, default_events: ['push', 'repository'] }
  const whole = {
    name: 'Slipway acme',
    ...addresses,
    ...hook,
    request_oauth_on_install: true,
    default_permissions: permissions,
  }
  const manifest = JSON.stringify(whole)
  const page = '/organizations/acme/settings/apps/new?state=s1'
  const form = { method: 'POST', redirect: 'manual', body: new URLSearchParams({ manifest }).toString() } as const
  is('manifest: signed out', (await fetch(web + page, form)).status, 302)
  is('manifest: by a member', (await openBrowser(client, 'bob').go(page, { manifest })).status, 404)
  is('manifest: not JSON', (await ada.go(page, { manifest: 'x' })).status, 422)
  const unreachable = JSON.stringify({ ...whole, hook_attributes: { url: 'http://localhost/x' } })
  is('manifest: a hook at localhost', (await ada.go(page, { manifest: unreachable })).status, 422)
  const back = queryOf(await ada.press(await ada.go(page, { manifest }), 'Create GitHub App'))
  is('manifest: back with the state', back.get('state'), 's1')
  const convert = () => call('POST', `/app-manifests/${back.get('code')}/conversions`)
  const { body } = await status('manifest: converted', 201, convert())
  await status('manifest: once', 404, convert())
  is('manifest: the name is taken', (await ada.go(page, { manifest })).status, 422)
  const text = (name: string) => String(at(body, name))
  const credentials = { clientId: text('client_id'), clientSecret: text('client_secret') }
  return {
    id: Number(at(body, 'id')),
    slug: text('slug'),
    pem: text('pem'),
    webhookSecret: text('webhook_secret'),
    ...credentials,
  }
}

/** octokit's own app, with the lab's host behind it. */
export const appOf = ({ api, fetch }: Client, appId: number | string, privateKey: string) => {
  const options = {
    baseUrl: api,
    request: { fetch },
    log: quiet,
    throttle: { enabled: false },
    retry: { enabled: false },
  }
  return new App({ appId, privateKey, Octokit: Octokit.defaults(options), log: quiet })
}

async function installCases(client: Client, { slug }: MadeApp): Promise<number> {
  const { lab, is } = client
  const [ada, bob] = [openBrowser(client, 'ada'), openBrowser(client, 'bob')]
  const page = (more: string) => `/apps/${slug}/installations/new?state=s2&${more}`
  const asked = queryOf(await bob.press(await bob.go(page('target=acme')), 'Install'))
  is('a member only asks for it', [asked.get('setup_action'), asked.get('installation_id')], ['request', null])
  const back = queryOf(await ada.press(await ada.go(page('target=acme&repositories=shop,api')), 'Install'))
  is('installed', [back.get('state'), back.get('setup_action'), back.has('code')], ['s2', 'install', true])
  is('a private app stays at home', (await openBrowser(client, 'mallory').go(page('target=evil'))).status, 404)
  await lab.do.delivered()
  return Number(back.get('installation_id'))
}

async function tokenCases(client: Client, { id, pem, slug }: MadeApp, installationId: number): Promise<void> {
  const { lab, call, status, is } = client
  const app = appOf(client, id, pem)
  is('octokit: the app', (await app.octokit.request('GET /app')).data?.slug, slug)
  await status('a token where an app is asked for', 401, call('GET', '/app', lab.do.token({ login: 'ada' }).token))
  await status('a signature of nobody', 401, call('GET', '/app', 'a.b.c'))
  const names: string[] = []
  for await (const { repository } of app.eachRepository.iterator({ installationId })) names.push(repository.name)
  is('octokit: its repositories', names, ['shop', 'api'])
  const octokit = await app.getInstallationOctokit(installationId)
  const shop = { owner: 'acme', repo: 'shop' }
  const file = { ...shop, path: 'package.json' }
  is('octokit: contents', (await octokit.request('GET /repos/{owner}/{repo}/contents/{path}', file)).status, 200)
  const outside = octokit.request('GET /repos/{owner}/{repo}', { owner: 'acme', repo: 'docs' })
  is('octokit: not what was not chosen', await statusOf(outside), 404)
  const jwt = ((await app.octokit.auth({ type: 'app' })) as { token: string }).token
  const mint = (body: object) => call('POST', `/app/installations/${installationId}/access_tokens`, jwt, body)
  const narrow = await status('narrowed', 201, mint({ repositories: ['shop'], permissions: { contents: 'read' } }))
  const token = String(at(narrow.body, 'token'))
  is('as asked', [at(narrow.body, 'permissions'), token.length > 400], [{ metadata: 'read', contents: 'read' }, true])
  await status('the other one is gone', 404, call('GET', '/repos/acme/api/contents/', token))
  const report = call('POST', `/repos/acme/shop/statuses/${'1'.repeat(40)}`, token, { state: 'success' })
  await status('so is the permission', 403, report)
  await status('hooks need one of their own', 403, call('GET', '/repos/acme/shop/hooks', token))
  await status('a token of an app is no person', 403, call('GET', '/user', token))
  await status('more than there is', 422, mint({ permissions: { contents: 'write' } }))
  await status('a repository that it has not', 422, mint({ repositories: ['docs'] }))
  await status('an installation that is not its own', 404, call('POST', '/app/installations/1/access_tokens', jwt, {}))
  is('what it has', at((await call('GET', '/installation/repositories', token)).body, 'total_count'), 1)
  await status('given back', 204, call('DELETE', '/installation/token', token))
  await status('and dead', 401, call('GET', '/installation/repositories', token))
  lab.do.tokenLife({ ms: 1 })
  const brief = String(at((await mint({})).body, 'token'))
  await new Promise((next) => setTimeout(next, 10))
  await status('it runs out', 401, call('GET', '/installation/repositories', brief))
  lab.do.tokenLife({ ms: 3_600_000 })
  const branch = await octokit.request('GET /repos/{owner}/{repo}/branches/{branch}', { ...shop, branch: 'main' })
  const check = { ...shop, name: 'slipway', head_sha: branch.data.commit.sha }
  const { data } = await octokit.request('POST /repos/{owner}/{repo}/check-runs', check)
  const which = { ...shop, check_run_id: data.id }
  const done = { ...which, conclusion: 'success' } as const
  await octokit.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', done)
  const run = await octokit.request('GET /repos/{owner}/{repo}/check-runs/{check_run_id}', which)
  is('octokit: check run', run.data.status, 'completed')
  const none = octokit.request('GET /repos/{owner}/{repo}/check-runs/{check_run_id}', { ...shop, check_run_id: 1 })
  is('no such check run', await statusOf(none), 404)
  is('by repository', at((await call('GET', '/repos/acme/shop/installation', jwt)).body, 'id'), installationId)
  await status('not on this one', 404, call('GET', '/repos/acme/docs/installation', jwt))
  is('by organization', at((await call('GET', '/orgs/acme/installation', jwt)).body, 'id'), installationId)
  await status('not there', 404, call('GET', '/orgs/evil/installation', jwt))
  await status('not with this person', 404, call('GET', '/users/ada/installation', jwt))
  const create = octokit.request('POST /orgs/{org}/repos', { org: 'acme', name: 'by-app', private: true })
  is('octokit: an app makes a repository of the organization', (await create).status, 201)
  is('octokit: but none of a person', await statusOf(octokit.request('POST /user/repos', { name: 'x' })), 403)
}

async function keyCases(client: Client, { id, slug, pem, clientId }: MadeApp): Promise<string> {
  const { lab, is } = client
  const works = (appId: number | string, key: string) => statusOf(appOf(client, appId, key).octokit.request('GET /app'))
  const next = lab.do.rotateKey({ slug }).pem
  is('two keys at once', [await works(id, next), await works(id, pem)], [200, 200])
  lab.do.dropOldKeys({ slug })
  is('one again, also by client id', [await works(id, pem), await works(clientId, next)], [401, 200])
  return ((await appOf(client, id, next).octokit.auth({ type: 'app' })) as { token: string }).token
}

async function eventCases(client: Client, { slug }: MadeApp, id: number, jwt: string, wire: Wire): Promise<void> {
  const { lab, call, status, is } = client
  const heard = async (work: () => unknown) => {
    const before = wire.got.length
    await work()
    await lab.do.delivered()
    return wire.got.slice(before).map(({ event, payload, isGood }) => `${event} ${payload.action ?? ''} ${isGood}`)
  }
  is('a push to a chosen one is told', await heard(() => lab.do.push({ full: 'acme/shop' })), ['push  true'])
  is('to another not', await heard(() => lab.do.push({ full: 'acme/docs' })), [])
  const chosen = await heard(() => lab.do.select({ id, repos: ['shop', 'docs'] }))
  is('chosen anew', chosen, ['installation_repositories added true', 'installation_repositories removed true'])
  is('suspended', await heard(() => lab.do.suspend({ id })), ['installation suspend true'])
  const minted = () => call('POST', `/app/installations/${id}/access_tokens`, jwt, {})
  await status('suspended: no tokens', 403, minted())
  is('suspended: no pushes', await heard(() => lab.do.push({ full: 'acme/shop' })), [])
  is('no longer', await heard(() => lab.do.suspend({ id, on: false })), ['installation unsuspend true'])
  lab.do.appSettings({ slug, permissions: { contents: 'write', administration: 'write' } })
  const accepted = await heard(() => lab.do.acceptPermissions({ id }))
  is('more allowed', accepted, ['installation new_permissions_accepted true'])
  const token = String(at((await minted()).body, 'token'))
  lab.do.select({ id, repos: null })
  await lab.do.delivered()
  const owner = lab.do.token({ login: 'ada', scopes: ['repo', 'delete_repo'] }).token
  const told = await heard(async () => {
    await call('POST', '/orgs/acme/repos', owner, { name: 'brief', private: true })
    await call('PATCH', '/repos/acme/brief', owner, { name: 'briefer' })
    await call('DELETE', '/repos/acme/briefer', owner)
  })
  is(
    'made, renamed, deleted',
    told,
    ['created', 'renamed', 'deleted'].map((action) => `repository ${action} true`),
  )
  const hook = {
    config: { url: `${wire.url}?own`, content_type: 'json', secret: wire.secrets[0] },
    events: ['repository'],
  }
  await call('POST', '/repos/acme/docs/hooks', owner, hook)
  await lab.do.delivered()
  const away = await heard(() => lab.do.transfer({ full: 'acme/docs', to: 'evil' }))
  is('transferred: its own hook hears it, the app no longer', away, ['repository transferred true'])
  is('deliveries', (await call('GET', '/app/hook/deliveries?per_page=100', jwt)).status, 200)
  const [newest] = (await call('GET', '/app/hook/deliveries', jwt)).body as { id: number; guid: string }[]
  is('one', at((await call('GET', `/app/hook/deliveries/${newest?.id}`, jwt)).body, 'guid'), newest?.guid)
  await status('none', 404, call('GET', '/app/hook/deliveries/1', jwt))
  await status('again', 202, call('POST', `/app/hook/deliveries/${newest?.id}/attempts`, jwt))
  await lab.do.delivered()
  is('hook settings', at((await call('GET', '/app/hook/config', jwt)).body, 'secret'), '********')
  is('installations', column((await call('GET', '/app/installations', jwt)).body, 'id'), [id])
  await status('installation', 200, call('GET', `/app/installations/${id}`, jwt))
  await status('of another app', 404, call('GET', '/app/installations/1', jwt))
  is('page', at((await call('GET', `/apps/${slug}`)).body, 'slug'), slug)
  await status('of no app', 404, call('GET', '/apps/none'))
  await status('suspended by the API', 204, call('PUT', `/app/installations/${id}/suspended`, jwt))
  await status('no longer', 204, call('DELETE', `/app/installations/${id}/suspended`, jwt))
  await status('a new secret', 200, call('PATCH', '/app/hook/config', jwt, { secret: 'rotated' }))
  await lab.do.delivered()
  wire.secrets.splice(0, wire.secrets.length, 'rotated')
  const gone = await heard(() => status('uninstalled', 204, call('DELETE', `/app/installations/${id}`, jwt)))
  is('which is told with it', gone, ['installation deleted true'])
  await status('its tokens are dead', 401, call('GET', '/installation/repositories', token))
  is('nothing is installed', count((await call('GET', '/app/installations', jwt)).body), 0)
}
