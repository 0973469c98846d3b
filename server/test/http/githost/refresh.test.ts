import { expect, test } from 'vitest'
import { connectBy } from '../../../../test-kit/githost-browser.ts'
import { accountPlace } from '../../../src/core/githost/secrets.ts'
import { registeredApp, startGithostWorld } from './stage.ts'

/** A GitHub App whose users' tokens live for eight hours and are renewed with a token that works once. */
const { host, world, browser } = await startGithostWorld((lab) => {
  lab.do.user({ login: 'ada' })
  const { clientId, clientSecret } = registeredApp(lab, 'ada', { expireUserTokens: true })
  return { oauth: { clientId, clientSecret } }
})
const { db, keys } = world.platform
await host.do.repo({ full: 'ada/hello', private: false, files: { a: 'a' } })
host.do.autoApprove({ on: true })
const org = await world.org()
const rowOf = () => db.selectFrom('githostAccount').selectAll().where('orgId', '=', org.id).executeTakeFirstOrThrow()
const branches = () => org.owner.api('GET', '/api/githost/repos/ada/hello/branches')
const tokenOf = async () => {
  const { id, token } = await rowOf()
  return keys.open(token ?? '', accountPlace(id, 'token'))
}

test('a token that is about to end is renewed once, however many ask at the same moment', async () => {
  const { body } = await org.owner.api('POST', '/api/githost/connect', { source: 'oauth' })
  expect((await connectBy(browser(), 'ada', body.url)).text).toContain('is connected')
  expect((await rowOf()).expiresAt).not.toBe(null)
  const before = await tokenOf()
  await db
    .updateTable('githostAccount')
    .set({ expiresAt: new Date(Date.now() + 60_000) })
    .execute()
  host.do.requests()
  const answers = await Promise.all(Array.from({ length: 6 }, branches))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(host.do.requests().filter(({ path }) => path.startsWith('/login/oauth/access_token'))).toHaveLength(1)
  expect(await tokenOf()).not.toBe(before)
  expect((await rowOf()).expiresAt?.getTime()).toBeGreaterThan(Date.now() + 3600_000)
})

test('an outage while it is renewed loses nothing; a refresh token that is not good any more breaks the account', async () => {
  await db
    .updateTable('githostAccount')
    .set({ expiresAt: new Date(0) })
    .execute()
  host.do.faults({ outage: true })
  expect((await branches()).body.code).toBe('githost_unreachable')
  host.do.clearFaults()
  expect((await rowOf()).brokenAt).toBe(null)
  expect((await branches()).status).toBe(200)
  const { id } = await rowOf()
  const stale = keys.seal('ghr_used', accountPlace(id, 'refresh_token'))
  await db
    .updateTable('githostAccount')
    .set({ expiresAt: new Date(0), refreshToken: stale })
    .execute()
  await branches()
  expect((await org.owner.api('GET', '/api/githost/status')).body.problems).toMatchObject([{ code: 'broken' }])
})

test('disconnecting revokes the token at the host', async () => {
  await db.updateTable('githostAccount').set({ brokenAt: null }).execute()
  host.do.requests()
  const gone = await org.owner.api('POST', '/api/githost/disconnect', { source: 'oauth' })
  expect(gone.body).toEqual({ success: true, disconnected: ['oauth'], state: 'disconnected' })
  expect(host.do.requests()).toMatchObject([{ method: 'DELETE', status: 204 }])
})
