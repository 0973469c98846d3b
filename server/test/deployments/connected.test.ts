import { expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'
import { configFor, connectedLogin, startLabHost } from '../http/githost/stage.ts'

const host = await startLabHost()
const { clientId } = host.do.oauthApp({ name: 'slipway', callbackUrls: [] })
const config = configFor(host)
const site = await startSite('connected', {
  ...config,
  githost: { ...config.githost, oauth: { clientId, clientSecret: null } },
})
host.do.user({ login: 'ada' })
host.do.deviceSettings({ interval: 1 })
await host.do.repo({ full: 'ada/shop', private: true, files: { 'notes.txt': 'nothing that could be built' } })
const repository = `${host.url}/ada/shop.git`

const deploy = async (name: string) => {
  const { body } = await site.api('POST', '/api/projects', { name, repository })
  const { deployment_id } = (await site.api('POST', '/api/deployments', { projectId: body.id })).body
  return site.ended(deployment_id)
}

test('a private repository is deployed as soon as its host is connected, by a login that the worker finishes', async () => {
  expect((await deploy('before')).error).toMatchObject({ code: 'git_auth_failed' })
  const { userCode } = (await site.api('POST', '/api/githost/connect', { source: 'oauth' })).body
  host.do.approveDevice({ userCode, login: 'ada' })
  const status = async () => (await site.api('GET', '/api/githost/connect/poll')).body.status
  await expect.poll(status).toBe('connected')
  const after = await deploy('after')
  // The files were read: there is nothing in them to build.
  expect(after.error).toMatchObject({ code: 'nothing_to_build' })
  const { body } = await site.api('GET', `/api/deployments/${after.id}`)
  expect(body.source).toMatchObject({ repo: repository, branch: 'main', commitSha: expect.stringMatching(/^\w{40}$/) })
  const { text } = await site.api('GET', `/api/deployments/${after.id}/logs`)
  expect(text).not.toMatch(/gh[ospu]_/)
})

test('one account of the host serves one organization', async () => {
  const other = await site.world.org('Other')
  const login = await connectedLogin(site.world, host, other)
  expect(login).not.toBe('ada')
  expect((await other.owner.api('GET', '/api/githost/repos/ada/shop')).status).toBe(404)
})
