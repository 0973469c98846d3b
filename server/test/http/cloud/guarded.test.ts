import { beforeEach, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../src/db/ids.ts'
import { cloudProject, link, shownAs, startHome, stub } from './linked.ts'
import { answering, startStandIn } from './stand-in.ts'

const here = await startHome()
const strict = await startHome({ allowedNetworks: [] })
const cloud = await startStandIn(answering({ success: true }))
const org = await here.org()
const other = await here.org('Other')
const [projectId, elsewhere] = [await cloudProject(here, org), await cloudProject(here, other)]
await link(here, org.id, cloud.url, 'slp_of_the_link')
await link(here, other.id, cloud.url, 'slp_of_the_other')
const id = newId('dep')
const foreign = newId('dep')
await stub(here, org.id, projectId, shownAs(id))
await stub(here, other.id, elsewhere, shownAs(foreign))
const routes = here.app.endpoints.filter(({ path }) => /^\/api\/deployments\/:id(\/|$)/.test(path))
const at = (path: string, of: string) => path.replace(':id', of)
beforeEach(() => void cloud.seen.splice(0))

describe('who is refused here is never asked about there', () => {
  test('a role or a token that lacks the permission of the route', async () => {
    const viewer = await here.person(org.id, 'viewer')
    const narrow = here.as(await here.tokenFor(org.owner, { scopes: ['deployment:list'] }))
    for (const { method, path, example } of routes) {
      if (method !== 'GET') expect((await viewer.api(method, at(path, id), example)).status).toBe(403)
      expect((await narrow(method, at(path, id), example)).status).toBe(403)
    }
    expect(cloud.seen).toEqual([])
  })

  test('a developer who cancels or rolls back, which takes an admin', async () => {
    const developer = await here.person(org.id, 'developer')
    for (const verb of ['cancel', 'rollback']) {
      const { status, body } = await developer.api('POST', `/api/deployments/${id}/${verb}`)
      expect([status, body.requires]).toEqual([403, 'deployment:admin'])
      // Whether there is such a deployment in another organization is not told either.
      expect((await developer.api('POST', `/api/deployments/${foreign}/${verb}`)).status).toBe(404)
    }
    expect(cloud.seen).toEqual([])
  })

  test('nobody, and a credential that is none', async () => {
    for (const token of ['', 'slp_unknown']) {
      const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
      for (const { method, path } of routes) {
        const { statusCode } = await here.app.inject({ method, url: at(path, id), headers })
        expect(statusCode).toBe(401)
      }
    }
    expect(cloud.seen).toEqual([])
  })
})

test('a deployment of another organization is as unknown as one that does not exist', async () => {
  // A token and a session are looked up by two queries.
  const ways: [typeof org.owner.api, object][] = [
    [org.owner.api, {}],
    [here.as(''), await here.session(org.owner)],
  ]
  for (const [api, credential] of ways)
    for (const { method, path, example } of routes) {
      const headers = { ...credential, 'x-request-id': 'same' }
      const [unknown, theirs] = [newId('dep'), foreign].map((of) => api(method, at(path, of), example, headers))
      expect((await theirs)?.status).toBe(404)
      expect((await theirs)?.text).toBe((await unknown)?.text)
    }
  expect(cloud.seen).toEqual([])
})

test('a token of one project reaches the deployments of that project and of no other', async () => {
  const second = await cloudProject(here, org)
  const inside = here.as(await here.tokenFor(org.owner, { projectId }))
  const outside = here.as(await here.tokenFor(org.owner, { projectId: second }))
  expect((await outside('GET', `/api/deployments/${id}`)).status).toBe(404)
  expect(cloud.seen).toEqual([])
  expect((await inside('GET', `/api/deployments/${id}`)).status).toBe(200)
  expect(cloud.seen).toHaveLength(1)
})

test('with a token one query comes before the call goes on, and whoever has a session gets there as well', async () => {
  const asked = vi.spyOn(here.platform.pool, 'query')
  const names = () => asked.mock.calls.map(([query]) => (query as unknown as { name: string }).name)
  try {
    expect((await org.owner.api('GET', `/api/deployments/${id}`)).status).toBe(200)
    expect(names()).toEqual(['token.authenticate_for_deployment'])
    const session = await here.session(org.owner)
    expect((await here.as('')('GET', `/api/deployments/${id}`, undefined, session)).status).toBe(200)
    expect(names()).toContain('cloud_deployment.find')
    expect(cloud.seen).toHaveLength(2)
  } finally {
    asked.mockRestore()
  }
})

test('an id that cannot be one stays unknown', async () => {
  for (const odd of ['dep_%00', 'dep_..%2F..%2Fprojects', `dep_${'x'.repeat(70)}`, '%20'])
    expect((await org.owner.api('GET', `/api/deployments/${odd}`)).status).toBe(404)
  expect(cloud.seen).toEqual([])
})

describe('what arrives there', () => {
  test('is what matters of the request, and nothing of the caller’s own credential', async () => {
    const session = await here.session(org.owner)
    const mine = {
      ...session,
      'x-request-id': 'req-of-mine',
      'if-match': '"3"',
      'if-none-match': 'W/"x"',
      'idempotency-key': 'once',
      'last-event-id': '7',
      'x-forwarded-for': '198.51.100.1',
      'user-agent': 'slipway/9.9.9',
    }
    const secret = org.owner.token
    await here.as('')('POST', `/api/deployments/${id}/pin?a=%2F&a=b`, { pinned: true }, mine)
    await org.owner.api('GET', `/api/deployments/${id}`, undefined, { cookie: session.cookie })
    const [post, get] = cloud.seen
    expect([post?.method, post?.url]).toEqual(['POST', `/api/deployments/${id}/pin?a=%2F&a=b`])
    expect(post?.headers).toEqual({
      ...{ 'content-type': 'application/json', 'content-length': '15', 'if-match': '"3"', 'if-none-match': 'W/"x"' },
      ...{
        'idempotency-key': expect.any(String),
        'last-event-id': '7',
        'accept-encoding': 'identity',
        'slipway-hops': '1',
      },
      ...{ 'x-request-id': 'req-of-mine', authorization: 'Bearer slp_of_the_link' },
      ...{ host: cloud.url.slice('http://'.length), connection: 'close' },
    })
    const all = JSON.stringify([post, get])
    for (const own of [secret, session.cookie]) expect(all).not.toContain(own)
  })

  test('comes back without what only the cloud means for itself', async () => {
    cloud.does((_, response) => {
      response.writeHead(201, {
        ...{ 'content-type': 'application/json', 'content-length': '2', etag: '"5"', 'retry-after': '9' },
        ...{ location: 'https://elsewhere.example', 'set-cookie': 'a=b', 'access-control-allow-origin': '*' },
        'x-request-id': 'another',
      })
      response.end('{}')
    })
    const { status, headers } = await org.owner.api('GET', `/api/deployments/${id}`, undefined, {
      'x-request-id': 'my',
    })
    expect(status).toBe(201)
    expect(headers).toMatchObject({ etag: '"5"', 'retry-after': '9', 'x-request-id': 'my' })
    for (const name of ['location', 'set-cookie', 'access-control-allow-origin']) expect(headers[name]).toBeUndefined()
    cloud.does(answering({ success: true }))
  })
})

test('a call that was passed on already is not passed on again', async () => {
  const { status, body } = await org.owner.api('GET', `/api/deployments/${id}`, undefined, { 'slipway-hops': '1' })
  expect([status, body.code]).toEqual([508, 'loop_detected'])
  expect(cloud.seen).toEqual([])
})

test('a cloud whose address leads back here ends at the second hop', async () => {
  const looped = await here.org('Looped')
  const own = await here.app.listen({ port: 0, host: '127.0.0.1' })
  await link(here, looped.id, own, looped.owner.token)
  const round = newId('dep')
  await stub(here, looped.id, await cloudProject(here, looped), shownAs(round))
  const { status, body } = await looped.owner.api('GET', `/api/deployments/${round}`)
  expect([status, body.code]).toEqual([508, 'loop_detected'])
  const { data } = (await looped.owner.api('GET', '/api/deployments')).body
  expect(data).toMatchObject([{ id: round }])
})

test('where the link is gone or its credential is not taken, that is said, and the caller’s own is not doubted', async () => {
  cloud.does(answering({ success: false, code: 'token_invalid' }, 401))
  const refused = await org.owner.api('GET', `/api/deployments/${id}`)
  expect([refused.status, refused.body.code]).toEqual([503, 'cloud_unreachable'])
  expect(refused.headers['www-authenticate']).toBeUndefined()
  cloud.does(answering({ success: true }))
  await here.platform.db.deleteFrom('cloudLink').where('orgId', '=', other.id).execute()
  const unlinked = await other.owner.api('GET', `/api/deployments/${foreign}`)
  expect([unlinked.status, unlinked.body.code]).toEqual([503, 'cloud_unreachable'])
})

test('a cloud at an address that the operator has not named is not connected to', async () => {
  const theirs = await strict.org()
  await link(strict, theirs.id, cloud.url, 'slp_x')
  const one = newId('dep')
  await stub(strict, theirs.id, await cloudProject(strict, theirs), shownAs(one))
  const { status, body } = await theirs.owner.api('GET', `/api/deployments/${one}`)
  expect([status, body.error]).toEqual([503, 'cloud_unreachable'])
  expect(body.hint).toContain('SLIPWAY_ALLOWED_NETWORKS')
  expect(cloud.seen).toEqual([])
})
