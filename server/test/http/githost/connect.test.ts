import { expect, test } from 'vitest'
import { buttonOf, connectBy } from '../../../../test-kit/githost-browser.ts'
import type { Org } from '../../../../test-kit/world.ts'
import { recheckInstallations } from '../../../src/core/githost/push/recheck.ts'
import { PUBLIC_URL, REDIRECT, registeredApp, startGithostWorld } from './stage.ts'

const { host, world, browser } = await startGithostWorld((lab) => {
  for (const login of ['ada', 'bob', 'mallory', 'carol']) lab.do.user({ login })
  lab.do.org({ login: 'acme', members: { ada: 'admin', bob: 'member', carol: 'member' } })
  return { app: registeredApp(lab, 'acme') }
})
const { db } = world.platform
await host.do.repo({ full: 'acme/shop', private: true, files: { 'package.json': '{"name":"shop"}' } })
await host.do.repo({ full: 'acme/books', private: true, files: { 'a.txt': 'a' } })
await host.do.repo({ full: 'bob/own', private: true, files: { 'a.txt': 'a' } })
host.do.autoApprove({ on: true })

const slug = 'slipway-acme'
const begin = async (org: Org, body: object = { source: 'app' }) => {
  const answer = await org.owner.api('POST', '/api/githost/connect', body)
  expect([answer.status, answer.body.flow]).toEqual([200, 'redirect'])
  return String(answer.body.url)
}
const stateOf = async (org: Org) => (await org.owner.api('GET', '/api/githost/status')).body.state
const pollOf = async (org: Org) => (await org.owner.api('GET', '/api/githost/connect/poll')).body
const linksOf = (org: Org) => db.selectFrom('githostLink').selectAll().where('orgId', '=', org.id).execute()
/** The state that our page gives to the host. */
const stateIn = (action: string) => new URL(action).searchParams.get('state') ?? ''

test('an owner of the account connects all of it, also what is made later', async () => {
  const org = await world.org('Acme')
  const end = await connectBy(browser(), 'ada', await begin(org), { target: 'acme' })
  expect(end.text).toContain('The git host is connected')
  expect(await linksOf(org)).toMatchObject([{ repoIds: null, proofLogin: 'ada', provedBy: org.owner.userId }])
  expect(await stateOf(org)).toBe('app')
  const later = await host.do.repo({ full: 'acme/later', private: true, files: { a: 'a' } })
  const repos = await org.owner.api('GET', '/api/githost/repos?owner=acme')
  expect(repos.body.data.map(({ id }: { id: number }) => id)).toContain(later.id)
  await host.do.removeRepo({ full: 'acme/later' })
  expect(await pollOf(org)).toMatchObject({ status: 'connected', flow: 'redirect', login: 'ada' })
  expect((await org.owner.api('POST', '/api/githost/connect', {})).body).toMatchObject({ connected: true })
  const audited = await db.selectFrom('audit').select('action').where('orgId', '=', org.id).execute()
  expect(audited.map(({ action }) => action)).toContain('githost.connected')
})

test('a collaborator of one repository connects that one, and nothing else of the installation', async () => {
  const org = await world.org('Bob’s')
  host.do.collaborator({ full: 'acme/shop', login: 'bob', level: 'admin' })
  await connectWithoutInstalling(org, 'bob')
  const [link] = await linksOf(org)
  expect(link?.repoIds).toHaveLength(1)
  const repos = await org.owner.api('GET', '/api/githost/repos')
  expect(repos.body.data.map(({ fullName }: { fullName: string }) => fullName)).toEqual(['acme/shop'])
  const other = await org.owner.api('GET', '/api/githost/repos/acme/books')
  expect([other.status, other.body.code]).toEqual([404, 'not_found'])
  expect((await org.owner.api('GET', '/api/githost/repos/acme/books/clone-token')).status).toBe(404)
  expect((await org.owner.api('GET', '/api/githost/repos/acme/books/file?file=a.txt')).status).toBe(404)
  const token = await org.owner.api('GET', '/api/githost/repos/acme/shop/clone-token')
  expect(token.status).toBe(200)
})

test('a mere reader binds nothing: an owner must connect', async () => {
  const org = await world.org('Carol’s')
  host.do.collaborator({ full: 'acme/shop', login: 'carol', level: 'read' })
  const end = await connectWithoutInstalling(org, 'carol')
  expect(end.text).toContain('an owner of acme must connect')
  expect(await linksOf(org)).toEqual([])
  expect(await pollOf(org)).toMatchObject({ status: 'failed' })
})

test('an installation that the person cannot see is not bound, whatever the address says', async () => {
  const org = await world.org('Mallory’s')
  const end = await connectWithoutInstalling(org, 'mallory')
  expect(end.text).toContain('cannot see this installation')
  expect(await linksOf(org)).toEqual([])
  // The setup address without a state binds nothing either.
  const page = await browser().visit(`${REDIRECT}?installation_id=${acmeInstallation()}&setup_action=install`)
  expect([page.status, page.text.includes('Begin to connect')]).toEqual([200, true])
  expect(await linksOf(org)).toEqual([])
})

test('an installation that a body names is not bound either', async () => {
  const org = await world.org('Mallory’s second')
  const [id, name] = [acmeInstallation(), 'installation_id']
  const url = await begin(org, { source: 'app', [name]: id, installationId: id, app: slug })
  const [attempt] = await db.selectFrom('githostAttempt').selectAll().where('orgId', '=', org.id).execute()
  expect(attempt?.installationId).toBe(null)
  const end = await connectBy(browser(), 'mallory', url)
  expect(end.status).toBeLessThan(500)
  const links = await linksOf(org)
  expect(links.map(({ installationId }) => Number(installationId))).not.toContain(id)
})

/** Somebody who may not install signs in at the host, and the address names the installation of acme. */
async function connectWithoutInstalling(org: Org, as: string) {
  const visitor = browser()
  await visitor.signIn(as)
  const { action } = buttonOf((await visitor.visit(await begin(org))).text)
  const query = new URLSearchParams({ client_id: world.config.githost.app?.clientId ?? '', redirect_uri: REDIRECT })
  query.set('state', stateIn(action))
  const back = await visitor.visit(`${host.url}/login/oauth/authorize?${query}`, undefined, /^https:\/\/slipway/)
  return visitor.visit(`${back.url}&installation_id=${acmeInstallation()}&setup_action=install`)
}
const acmeInstallation = () => installation
const installation = await (async () => {
  const org = await world.org('First')
  await connectBy(browser(), 'ada', await begin(org), { target: 'acme' })
  return Number((await linksOf(org))[0]?.installationId)
})()

test('a connect link that was sent to somebody names the organization, and waits for a click', async () => {
  const org = await world.org('Evil & Sons <b>')
  const victim = browser()
  await victim.signIn('ada')
  const page = await victim.visit(await begin(org))
  expect(page.status).toBe(200)
  expect(page.text).toContain('Evil &#38; Sons &#60;b&#62;')
  expect(page.text).toContain(`${org.owner.userId}@example.com`)
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.headers['referrer-policy']).toBe('no-referrer')
  expect(page.headers['cache-control']).toBe('no-store')
  expect(String(page.headers['set-cookie'])).toMatch(
    /^__Host-githost=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/,
  )
  expect(await linksOf(org)).toEqual([])
})

test('the dashboard of who began it needs no second click; that of somebody else does', async () => {
  const org = await world.org()
  const { cookie } = await world.session(org.owner)
  const ask = async (url: string, sent: string) =>
    world.app.inject({ method: 'GET', url: url.slice(PUBLIC_URL.length), headers: { cookie: sent } })
  const mine = await ask(await begin(org), cookie)
  expect([mine.statusCode, String(mine.headers.location).startsWith(`${host.url}/github-apps/${slug}/`)]).toEqual([
    302,
    true,
  ])
  const other = await world.session((await world.org()).owner)
  expect((await ask(await begin(org), other.cookie)).statusCode).toBe(200)
})

test('a state is good once, in the browser it was given to, and not for long', async () => {
  const org = await world.org()
  const visitor = browser()
  await visitor.signIn('ada')
  const url = await begin(org)
  const { action } = buttonOf((await visitor.visit(url)).text)
  // The page belongs to the browser that opened it first.
  expect((await browser().visit(url)).status).toBe(400)
  const back = await visitor.visit(`${action}&target=acme`, undefined, /^https:\/\/slipway/)
  // Another browser, with the whole answer of the host.
  expect((await browser().visit(back.url)).status).toBe(400)
  expect(await pollOf(org)).toMatchObject({ status: 'failed' })
  expect((await visitor.visit(back.url)).status).toBe(400)
  expect(await linksOf(org)).toEqual([])
  expect((await visitor.visit(`${REDIRECT}?code=x&state=unknown`)).status).toBe(400)
  expect((await visitor.visit(`${REDIRECT}?start=unknown`)).status).toBe(400)
})

test('a used state is refused, and so is one that is too old', async () => {
  const org = await world.org()
  const visitor = browser()
  await visitor.signIn('ada')
  const { action } = buttonOf((await visitor.visit(await begin(org))).text)
  const back = await visitor.visit(`${action}&target=acme`, undefined, /^https:\/\/slipway/)
  expect((await visitor.visit(back.url)).text).toContain('is connected')
  expect((await visitor.visit(back.url)).status).toBe(400)
  const late = await begin(org)
  const page = buttonOf((await visitor.visit(late)).text)
  await db
    .updateTable('githostAttempt')
    .set({ expiresAt: new Date(0) })
    .where('orgId', '=', org.id)
    .execute()
  const again = await visitor.visit(`${page.action}&target=acme`, undefined, /^https:\/\/slipway/)
  expect((await visitor.visit(again.url)).status).toBe(400)
  expect(await pollOf(org)).toMatchObject({ status: 'expired' })
})

test('who said no at the host is told so, and nothing is kept', async () => {
  const org = await world.org()
  const visitor = browser()
  const { action } = buttonOf((await visitor.visit(await begin(org))).text)
  const page = await visitor.visit(`${REDIRECT}?error=access_denied&state=${stateIn(action)}`)
  expect(page.text).toContain('told not to connect')
  expect(await pollOf(org)).toMatchObject({ status: 'denied' })
})

test('redirects lead to our page or to the configured host, never to an address from the query', async () => {
  const org = await world.org()
  const { cookie } = await world.session(org.owner)
  const url = `${(await begin(org)).slice(PUBLIC_URL.length)}&return_to=https://evil.example&redirect_uri=https://evil.example`
  const answer = await world.app.inject({ method: 'GET', url, headers: { cookie } })
  expect(answer.statusCode).toBe(302)
  expect(String(answer.headers.location)).not.toContain('evil')
})

test('an app that must be approved by an owner leaves the attempt waiting', async () => {
  const org = await world.org()
  const visitor = browser()
  const { action } = buttonOf((await visitor.visit(await begin(org))).text)
  const page = await visitor.visit(`${REDIRECT}?setup_action=request&state=${stateIn(action)}`)
  expect(page.text).toContain('must approve')
  expect(await pollOf(org)).toMatchObject({ status: 'pending' })
})

test('who has left the organization meanwhile binds nothing', async () => {
  const org = await world.org()
  const visitor = browser()
  await visitor.signIn('ada')
  const { action } = buttonOf((await visitor.visit(await begin(org))).text)
  await db.updateTable('member').set({ role: 'viewer' }).where('orgId', '=', org.id).execute()
  const end = await visitor.visit(`${action}&target=acme`)
  expect(end.text).toContain('may not connect the organization any more')
  expect(await linksOf(org)).toEqual([])
})

test('an app that does not ask people to sign in when it is installed sends them on to do so', async () => {
  host.do.appSettings({ slug, requestOauthOnInstall: false })
  const org = await world.org()
  const end = await connectBy(browser(), 'ada', await begin(org), { target: 'acme' })
  host.do.appSettings({ slug, requestOauthOnInstall: true })
  expect(end.text).toContain('is connected')
  expect(await linksOf(org)).toMatchObject([{ repoIds: null, proofLogin: 'ada' }])
})

test('disconnecting forgets the links and tokens, and uninstalls nothing', async () => {
  const org = await world.org()
  await connectBy(browser(), 'ada', await begin(org), { target: 'acme' })
  expect((await org.owner.api('GET', '/api/githost/repos')).status).toBe(200)
  const gone = await org.owner.api('POST', '/api/githost/disconnect', { source: 'all' })
  expect(gone.body).toEqual({ success: true, disconnected: ['app'], state: 'disconnected' })
  expect((await org.owner.api('GET', '/api/githost/repos')).status).toBe(400)
  expect((await org.owner.api('GET', '/api/githost/repos/acme/shop')).status).toBe(400)
  expect((await org.owner.api('GET', '/api/githost/home')).body).toMatchObject({ state: 'disconnected', repos: [] })
  const left = await db.selectFrom('githostRepository').selectAll().where('orgId', '=', org.id).execute()
  expect(left).toEqual([])
})

test('a process that does not know the app yet breaks nothing for those that do', async () => {
  const org = await world.org()
  await connectBy(browser(), 'ada', await begin(org), { target: 'acme' })
  const { app } = world.config.githost
  world.config.githost.app = null
  const refused = await org.owner.api('GET', '/api/githost/repos/acme/shop/branches')
  world.config.githost.app = app
  expect([refused.status, refused.body.code]).toEqual([409, 'githost_forbids'])
  expect(await linksOf(org)).toMatchObject([{ brokenAt: null }])
  expect((await org.owner.api('GET', '/api/githost/repos/acme/shop/branches')).status).toBe(200)
})

test('an uninstalled app is noticed at its next use, and is no source any more', async () => {
  const org = await world.org()
  host.do.user({ login: 'dora' })
  await host.do.repo({ full: 'dora/site', private: true, files: { a: 'a' } })
  await connectBy(browser(), 'dora', await begin(org))
  const [link] = await linksOf(org)
  host.do.suspend({ id: Number(link?.installationId) })
  expect((await org.owner.api('GET', '/api/githost/repos/dora/site/clone-token')).status).toBe(409)
  expect((await org.owner.api('GET', '/api/githost/status')).body.problems).toMatchObject([{ code: 'suspended' }])
  host.do.uninstall({ id: Number(link?.installationId) })
  await db.updateTable('githostInstallation').set({ suspendedAt: null }).where('accountLogin', '=', 'dora').execute()
  await org.owner.api('GET', '/api/githost/repos/dora/site/clone-token')
  expect(await stateOf(org)).toBe('disconnected')
})

test('an installation that went away without a word is noticed within a day, and suspensions and permissions with it', async () => {
  const org = await world.org()
  host.do.user({ login: 'erin' })
  await host.do.repo({ full: 'erin/site', private: true, files: { a: 'a' } })
  await connectBy(browser(), 'erin', await begin(org))
  const id = Number((await linksOf(org))[0]?.installationId)
  const recheck = async () => {
    const mine = db.updateTable('githostInstallation').where('accountLogin', '=', 'erin')
    await mine.set({ checkedAt: new Date(0) }).execute()
    await recheckInstallations(world.platform, new AbortController().signal)
    return (await org.owner.api('GET', '/api/githost/status')).body
  }
  expect(await recheck()).toMatchObject({ state: 'app', problems: [] })
  host.do.suspend({ id })
  expect(await recheck()).toMatchObject({ problems: [{ code: 'suspended' }] })
  host.do.suspend({ id, on: false })
  host.do.faults({ outage: true })
  await recheck()
  host.do.clearFaults()
  expect(await recheck()).toMatchObject({ state: 'app', problems: [] })
  host.do.uninstall({ id })
  expect(await recheck()).toMatchObject({ state: 'disconnected' })
  expect((await org.owner.api('GET', '/api/githost/repos')).status).toBe(400)
})
