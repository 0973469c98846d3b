import { expect, test } from 'vitest'
import { link } from '../cloud/linked.ts'
import { configFor, startGithostWorld } from './stage.ts'

test('a cloud that cannot be reached is said to be so, by the word of the interface', async () => {
  const cloudUrl = 'https://127.0.0.1:1'
  const { world } = await startGithostWorld(() => ({}), { cloudUrl })
  const org = await world.org()
  await link(world, org.id, cloudUrl, 'slp_link')
  const answer = await org.owner.api('POST', '/api/githost/connect', {})
  expect([answer.status, answer.body.error, answer.body.code]).toEqual([503, 'cloud_unreachable', 'cloud_unreachable'])
  expect(answer.body.message).toContain('cannot be reached')
  expect(answer.headers['retry-after']).toBeDefined()
  expect((await org.owner.api('GET', '/api/githost/status')).body.cloudUnreachable).toBe(true)
})

test('in cloud mode there is neither a login of the machine nor a device login, nor an app of one’s own', async () => {
  const { world, host } = await startGithostWorld(
    (lab) => ({ oauth: { clientId: lab.do.oauthApp({ name: 'x', callbackUrls: [] }).clientId, clientSecret: null } }),
    { mode: 'cloud' },
  )
  expect(configFor(host).githost.url).toBe(host.url)
  const { owner } = await world.org()
  expect((await owner.api('GET', '/api/githost/local-status')).status).toBe(404)
  expect((await owner.api('GET', '/api/githost/connect/poll')).status).toBe(404)
  for (const source of ['cli', 'manifest', 'oauth', 'app', 'cloud'])
    expect((await owner.api('POST', '/api/githost/connect', { source })).status, source).toBe(400)
})
