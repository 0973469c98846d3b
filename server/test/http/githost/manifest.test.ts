import { expect, test } from 'vitest'
import { buttonOf, connectBy } from '../../../../test-kit/githost-browser.ts'
import { appPlace } from '../../../src/core/githost/secrets.ts'
import { PUBLIC_URL, startGithostWorld } from './stage.ts'

const { host, world, browser } = await startGithostWorld()
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
await host.do.repo({ full: 'ada/hello', private: true, files: { a: 'a' } })
await host.do.repo({ full: 'acme/shop', private: true, files: { a: 'a' } })
host.do.autoApprove({ on: true })
const { db, keys } = world.platform

test('an app of one’s own is made and installed in one trip of the browser, and belongs to that organization alone', async () => {
  const org = await world.org('Ada')
  const begun = await org.owner.api('POST', '/api/githost/connect', {})
  expect(begun.body).toMatchObject({ connected: false, flow: 'redirect' })
  const visitor = browser()
  const page = await visitor.visit(begun.body.url)
  const { form, action } = buttonOf(page.text)
  expect(action).toMatch(new RegExp(`^${host.url}/settings/apps/new\\?state=`))
  expect(page.headers['content-security-policy']).toContain(`form-action ${host.url};`)
  const manifest = JSON.parse(form?.get('manifest') ?? '')
  expect(manifest).toMatchObject({
    public: false,
    request_oauth_on_install: true,
    default_events: ['push', 'repository'],
  })
  expect(manifest.default_permissions).toEqual({
    metadata: 'read',
    contents: 'read',
    statuses: 'write',
    deployments: 'write',
  })
  expect(manifest.name.length).toBeLessThanOrEqual(34)
  expect(manifest.hook_attributes.url).toMatch(new RegExp(`^${PUBLIC_URL}/api/githost/webhook\\?k=`))
  const end = await connectBy(visitor, 'ada', begun.body.url)
  expect(end.text).toContain('The git host is connected')
  const app = await db.selectFrom('githostApp').selectAll().where('orgId', '=', org.id).executeTakeFirstOrThrow()
  expect(keys.open(app.privateKey ?? '', appPlace(app.id, 'private_key'))).toContain('PRIVATE KEY')
  expect(app.hookSecret).toMatch(/^v1\./)
  expect(manifest.hook_attributes.url).toBe(`${PUBLIC_URL}/api/githost/webhook?k=${app.hookKey}`)
  expect((await org.owner.api('GET', '/api/githost/repos')).body.data).toMatchObject([
    { fullName: 'ada/hello', source: 'app' },
  ])
  // Another organization of the instance does not even know that it exists.
  const other = await world.org('Other')
  const refused = await other.owner.api('POST', '/api/githost/connect', { source: 'app' })
  expect([refused.status, refused.body.field]).toEqual([400, 'source'])
  expect((await other.owner.api('GET', '/api/githost/status')).body.installUrl).toBe(null)
})

test('an organization of the host can own the app', async () => {
  const org = await world.org()
  const begun = await org.owner.api('POST', '/api/githost/connect', { source: 'manifest', account: 'acme' })
  const visitor = browser()
  await visitor.signIn('ada')
  const { action, form } = buttonOf((await visitor.visit(begun.body.url)).text)
  expect(action).toContain(`${host.url}/organizations/acme/settings/apps/new?state=`)
  const back = await visitor.visit(action, form, /installations\/new/)
  const end = await visitor.visit(`${back.url}&target=acme`)
  expect(end.text).toContain('is connected')
  expect((await org.owner.api('GET', '/api/githost/status')).body.accounts).toMatchObject([
    { login: 'acme', type: 'organization', source: 'app' },
  ])
})

test('a developer is not offered to make an app for the organization', async () => {
  const org = await world.org()
  const developer = await world.person(org.id, 'developer')
  const answer = await developer.api('POST', '/api/githost/connect', { source: 'manifest' })
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
})

test('a code of a manifest that was used already ends the attempt, and a new one can be begun', async () => {
  const org = await world.org()
  const begun = await org.owner.api('POST', '/api/githost/connect', { source: 'manifest' })
  const visitor = browser()
  await visitor.signIn('ada')
  const { action } = buttonOf((await visitor.visit(begun.body.url)).text)
  const state = new URL(action).searchParams.get('state')
  const page = await visitor.visit(`${PUBLIC_URL}/api/githost/connect/redirect?code=used&state=${state}`)
  expect(page.text).toContain('could not be connected')
  expect((await org.owner.api('GET', '/api/githost/connect/poll')).body).toMatchObject({ status: 'failed' })
})

test('a manifest of an instance that the host cannot reach has its hook switched off', async () => {
  const { manifestOf } = await import('../../../src/core/githost/connect/manifest.ts')
  for (const publicUrl of [
    'http://127.0.0.1:4600',
    'https://10.0.0.5',
    'https://localhost',
    'http://slipway.example.com',
  ])
    expect(JSON.parse(manifestOf({ publicUrl }, 'k')).hook_attributes).toMatchObject({ active: false })
})
