import { expect, test } from 'vitest'
import { app } from '../../../test-kit/sample-app.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'

/** What a credential that may deploy, and not change the project, makes of build/access. */
const site = await startSite('scopes')
const DEPLOY = ['deployment:list', 'deployment:read', 'deployment:write', 'deployment:admin'] as const
const SHOWS = `require('node:http').createServer((q, r) => r.end(process.env.DATABASE_URL + ' ' + (process.env.EXTRA ?? '-'))).listen(process.env.PORT)`
const OURS = 'postgres://ours/db'
const THEIRS = 'postgres://theirs/db'

const deployer = async () => site.world.as(await site.world.tokenFor(site.org.owner, { scopes: [...DEPLOY] }))
const variablesOf = async (id: string) =>
  (await site.api('POST', `/api/projects/${id}/variables/reveal`)).body.variables
const project = async (name: string) => {
  const id = await site.project(name)
  await site.api('PUT', `/api/projects/${id}/services/web`, { port: 3000, environment: { DATABASE_URL: OURS } })
  return id
}
const access = async (api: typeof site.api, projectId: string, more: object) => {
  const { id: uploadSessionId } = await site.upload(app(SHOWS))
  return api('POST', '/api/deployments/build/access', { projectId, uploadSessionId, ...more })
}
const services = (value: string) => [{ name: 'web', port: 3000, environment: { DATABASE_URL: value, EXTRA: 'yes' } }]

test('services sent by a credential without project:write hold for that deployment and its rollbacks, and change nothing of the project', async () => {
  const id = await project('carried')
  const api = await deployer()
  const before = [await variablesOf(id), (await site.api('GET', `/api/projects/${id}/services`)).body]
  const first = await access(api, id, { services: services(THEIRS) })
  expect(first.status, first.text).toBe(201)
  expect(await site.ended(first.body.deployment_id)).toMatchObject({ status: 'ready' })
  expect((await site.ask('carried.scopes.test')).text).toBe(`${THEIRS} yes`)
  expect([await variablesOf(id), (await site.api('GET', `/api/projects/${id}/services`)).body]).toEqual(before)

  const second = await access(api, id, {})
  expect(await site.ended(second.body.deployment_id)).toMatchObject({ status: 'ready' })
  expect((await site.ask('carried.scopes.test')).text).toBe(`${OURS} -`)

  const back = await api('POST', `/api/deployments/${first.body.deployment_id}/rollback`)
  expect(back.status, back.text).toBe(202)
  expect(await site.ended(back.body.deployment_id)).toMatchObject({ status: 'ready' })
  expect((await site.ask('carried.scopes.test')).text).toBe(`${THEIRS} yes`)

  const { rows } = await site.world.platform.pool.query('select overrides, request from deployment where id = $1', [
    first.body.deployment_id,
  ])
  expect(JSON.stringify(rows)).not.toContain('theirs')
  const { data } = (await site.api('GET', '/api/audit?action=deployment.create&limit=10')).body
  expect(data.at(-1).detail).toMatchObject({ only: { services: ['web'] } })
}, 240_000)

test('the same services sent with project:write are settings of the project', async () => {
  const id = await project('written')
  const answer = await access(site.api, id, { services: services('postgres://changed/db') })
  expect(answer.status).toBe(201)
  const { variables } = (await site.api('POST', `/api/projects/${id}/variables/reveal`)).body
  expect(variables).toContainEqual(expect.objectContaining({ name: 'DATABASE_URL', value: 'postgres://changed/db' }))
  await site.api('POST', `/api/deployments/${answer.body.deployment_id}/cancel`)
})

test('without project:write no name is claimed, and a name of the project leads elsewhere for that deployment only', async () => {
  const id = await project('named')
  await site.api('POST', `/api/projects/${id}/domains`, { host: 'shop.example.com', service: 'web', port: 3000 })
  const api = await deployer()
  type Shown = { host: string; service: string; port: number; targetPath: string | null }
  const domains = async () =>
    (await site.api('GET', `/api/projects/${id}/domains`)).body.data.map(
      ({ host, service, port, targetPath }: Shown): Shown => ({ host, service, port, targetPath }),
    )
  for (const endpoint of [
    { domainType: 'custom', customDomain: 'claimed.example.com' },
    { domainType: 'free', domain: 'another-label' },
  ]) {
    const refused = await access(api, id, { publicEndpoints: [endpoint] })
    expect([refused.status, refused.body.requires]).toEqual([403, 'project:write'])
  }
  expect((await domains()).map(({ host }: { host: string }) => host)).toEqual(['shop.example.com'])
  const before = await domains()
  const endpoint = { domainType: 'custom', customDomain: 'shop.example.com', targetPath: '/only', port: 3000 }
  const made = await access(api, id, { services: services(THEIRS), publicEndpoints: [endpoint] })
  expect(made.status, made.text).toBe(201)
  const ended = await site.ended(made.body.deployment_id)
  expect(ended.urls.some((url) => url.endsWith('/only'))).toBe(true)
  expect(await domains()).toEqual(before)
}, 120_000)

test('a credential of one project chooses no other server of the organization', async () => {
  const { id: here } = (await site.api('GET', '/api/servers')).body.data[0]
  const other = (await site.api('POST', '/api/servers', { kind: 'ssh', name: 'other', host: '192.0.2.1' })).body.id
  const id = await project('placed')
  await site.api('PATCH', `/api/projects/${id}`, { serverId: here })
  const api = site.world.as(await site.world.tokenFor(site.org.owner, { projectId: id }))
  const moved = [
    await api('POST', '/api/deployments/build/access', { projectId: id, image: 'nginx:1', serverId: other }),
    await api('PATCH', `/api/projects/${id}`, { serverId: other }),
  ]
  for (const answer of moved) expect([answer.status, answer.body.code]).toEqual([403, 'project_restricted'])
  await site.api('DELETE', `/api/servers/${other}`)
})
