import { expect, test } from 'vitest'
import { connectBy } from '../../../../test-kit/githost-browser.ts'
import { accountPlace } from '../../../src/core/githost/secrets.ts'
import { REDIRECT, startGithostWorld } from './stage.ts'

const { host, world, browser } = await startGithostWorld((lab) => ({
  oauth: lab.do.oauthApp({ name: 'slipway', callbackUrls: [REDIRECT] }),
}))
host.do.user({ login: 'ada' })
await host.do.repo({ full: 'ada/hello', private: true, files: { 'index.html': 'hi' } })
host.do.autoApprove({ on: true })
const org = await world.org('Acme')
const api = org.owner.api

test('an account is connected in the browser, and its repositories are listed', async () => {
  expect((await api('GET', '/api/githost/repos')).body.code).toBe('githost_not_connected')
  const begun = await api('POST', '/api/githost/connect', { source: 'oauth' })
  expect([begun.status, begun.body.flow]).toEqual([200, 'redirect'])
  const end = await connectBy(browser(), 'ada', begun.body.url)
  expect(end.text).toContain('The git host is connected')
  const status = await api('GET', '/api/githost/status')
  expect(status.body).toMatchObject({ state: 'oauth', problems: [], accounts: [{ login: 'ada', source: 'oauth' }] })
  const repos = await api('GET', '/api/githost/repos')
  expect(repos.status).toBe(200)
  expect(repos.body.data).toMatchObject([
    { fullName: 'ada/hello', private: true, source: 'oauth', cloneUrl: `${host.url}/ada/hello.git` },
  ])
  const { token } = await world.platform.db.selectFrom('githostAccount').selectAll().executeTakeFirstOrThrow()
  expect(token).toMatch(/^v1\./)
  expect(accountPlace('x', 'token')).toBe('githost_account/x/token')
})
