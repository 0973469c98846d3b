import type { Endpoint } from '@slipway/contract/endpoint'
import { describe, expect, test } from 'vitest'
import { hashSecret } from '../../../src/core/access/secrets.ts'
import { findToken } from '../../../src/core/access/store.ts'
import { newId } from '../../../src/db/ids.ts'
import { keyThere } from '../../../src/http/cloud-forward/key-there.ts'
import { store, story } from '../../deployments/made.ts'
import { linkedWorlds } from './linked.ts'

const { cloud, here, there, org, projectId, deploy } = await linkedWorlds()
const routes = here.app.endpoints.filter(({ path }) => /^\/api\/deployments\/:id(\/|$)/.test(path))
const title = ({ method, path }: Endpoint) => `${method} ${path}`
const pathOf = ({ path }: Endpoint, id: string) => path.replace(':id', id)

type Asked = { world: typeof here; token: string; method: string; url: string; body?: unknown; headers?: object }
/** The bytes as they come. */
async function ask({ world, token, method, url, body, headers }: Asked) {
  const {
    statusCode,
    rawPayload,
    headers: given,
  } = await world.app.inject({
    method: method as 'GET',
    url,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  const { 'content-type': type, etag, 'x-request-id': requestId, 'retry-after': retry } = given
  return { status: statusCode, body: rawPayload.toString('base64'), type, etag, requestId, retry }
}

const [token] = await findToken(here.platform.pool, [hashSecret(org.owner.token)])
/** With the key that the cloud has seen: asked again by it, it gives the same answer. */
function seenThere(headers: { 'x-request-id': string; 'idempotency-key'?: string }): object {
  const { 'idempotency-key': key, ...rest } = headers
  return key === undefined ? rest : { ...rest, 'idempotency-key': keyThere({ credentialId: token?.id ?? '' }, key) }
}

/** The same request by way of this instance, and at the cloud itself with the credential of the link. */
async function both(method: string, url: string, more: Pick<Asked, 'body' | 'headers'> = {}) {
  const headers = { 'x-request-id': newId('req'), ...more.headers }
  const through = await ask({ world: here, token: org.owner.token, method, url, ...more, headers })
  const direct = await ask({
    world: cloud,
    token: there.owner.token,
    method,
    url,
    ...more,
    headers: seenThere(headers),
  })
  return { through, direct }
}

describe('every route of a deployment answers through the hop as it does there, byte by byte', () => {
  test('which are these many', () => expect(routes.length).toBe(19))

  test.each(routes.map((endpoint) => [title(endpoint), endpoint] as const))('%s', async (_, endpoint) => {
    const { method, example: body } = endpoint
    for (const ended of [null, new Date()]) {
      const { id } = await deploy({ ended, active: ended !== null && endpoint.path.endsWith('restart') })
      await store(cloud, id, ended ? story(30) : [])
      // One that does not end is looked at elsewhere.
      if (endpoint.path.endsWith('/stream') && !ended) continue
      const headers = method === 'POST' ? { 'idempotency-key': newId('req') } : {}
      if (method === 'DELETE') {
        const twin = await deploy({ ended })
        const [through, direct] = [
          await ask({ world: here, token: org.owner.token, method, url: `/api/deployments/${id}` }),
          await ask({ world: cloud, token: there.owner.token, method, url: `/api/deployments/${twin.id}` }),
        ]
        expect(through.status).toBe(direct.status)
        if (ended) expect(through.body).toBe(direct.body)
        continue
      }
      const { through, direct } = await both(method, pathOf(endpoint, id), { body, headers })
      expect(through).toEqual(direct)
    }
  })

  test.each([
    ['GET', '?wait=1'],
    ['GET', '?wait=61'],
    ['GET', '/logs?format=text'],
    ['GET', '/logs?limit=3'],
    ['GET', '/logs?cursor=rubbish'],
    ['GET', '/diff?to=dep_unknown'],
    ['POST', '/build/respond'],
    ['POST', '/pin'],
  ])('%s %s, whatever is wrong with it', async (method, rest) => {
    const { id } = await deploy({ ended: new Date() })
    await store(cloud, id, story(200))
    for (const headers of [{}, { accept: 'application/problem+json' }, { 'if-match': '"7"' }]) {
      const { through, direct } = await both(method, `/api/deployments/${id}${rest}`, { headers })
      expect(through).toEqual(direct)
    }
  })

  test('a body that is no JSON, too large, or of another type is refused in the same words', async () => {
    const { id } = await deploy({ ended: new Date() })
    const url = `/api/deployments/${id}/pin`
    for (const [payload, type] of [
      ['{', 'application/json'],
      ['{"__proto__": 1}', 'application/json'],
      ['x'.repeat(1024 * 1024 + 1), 'application/json'],
      ['x', 'text/csv'],
      ['x', 'application/octet-stream'],
    ] as const) {
      const headers = { 'content-type': type, 'x-request-id': 'same' }
      const [through, direct] = await Promise.all(
        [[here, org] as const, [cloud, there] as const].map(([{ app }, { owner }]) =>
          app.inject({ method: 'POST', url, payload, headers: { ...headers, authorization: `Bearer ${owner.token}` } }),
        ),
      )
      expect([through?.statusCode, through?.body]).toEqual([direct?.statusCode, direct?.body])
    }
  })
})

test('the same Idempotency-Key of two callers is two keys there, and one that is none is refused there', async () => {
  const { id } = await deploy({ ended: new Date() })
  const second = here.as(await here.tokenFor(org.owner))
  const headers = { 'idempotency-key': newId('req') }
  const body = { pinned: true }
  const path = `/api/deployments/${id}/pin`
  const replayed = async (api: typeof second) => (await api('POST', path, body, headers)).headers['idempotent-replayed']
  expect(await replayed(org.owner.api)).toBeUndefined()
  expect(await replayed(second)).toBeUndefined()
  expect([await replayed(org.owner.api), await replayed(second)]).toEqual(['true', 'true'])
  const odd = await second('POST', path, body, { 'idempotency-key': 'x'.repeat(201) })
  expect([odd.status, odd.body.field]).toEqual([400, 'Idempotency-Key'])
})

test('a write with an Idempotency-Key is done once, and its repeat says so', async () => {
  const { id } = await deploy({ ended: new Date() })
  const headers = { 'idempotency-key': newId('req') }
  const url = `/api/deployments/${id}/redeploy`
  const body = { useExistingCommit: false }
  const [first, again] = [
    await org.owner.api('POST', url, body, headers),
    await org.owner.api('POST', url, body, headers),
  ]
  expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true'])
  expect(again.text).toBe(first.text)
  const other = await org.owner.api('POST', url, { useExistingCommit: true }, headers)
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch'])
})

test('what a write has made there is reached by its id here, and one that was deleted there is gone here', async () => {
  const { id } = await deploy({ ended: new Date() })
  const { body } = await org.owner.api('POST', `/api/deployments/${id}/redeploy`, {})
  expect((await org.owner.api('GET', `/api/deployments/${body.deployment_id}`)).body.id).toBe(body.deployment_id)
  expect((await org.owner.api('DELETE', `/api/deployments/${id}`)).status).toBe(200)
  expect((await org.owner.api('GET', `/api/deployments/${id}`)).status).toBe(404)
  const rows = await here.platform.db.selectFrom('cloudDeployment').selectAll().where('id', '=', id).execute()
  expect(rows).toEqual([])
})

test('a write leaves an entry here that says who did it, and one that was refused there leaves none', async () => {
  const { id } = await deploy()
  const developer = await here.person(org.id, 'admin')
  expect((await developer.api('POST', `/api/deployments/${id}/cancel`)).status).toBe(202)
  expect((await developer.api('POST', `/api/deployments/${id}/cancel`)).status).toBe(400)
  const { data } = (await org.owner.api('GET', `/api/audit?target=${id}`)).body
  expect(data).toMatchObject([{ action: 'deployment.forward', target: id, actor: { id: developer.userId } }])
  expect(data[0].detail).toEqual({ route: 'POST /api/deployments/:id/cancel', status: 202 })
})

test('deployments that are here are answered here', async () => {
  const server = (await org.owner.api('POST', '/api/servers', { kind: 'ssh', name: 's', host: '192.0.2.1' })).body.id
  const local = { name: 'local', serverId: server, repository: 'https://git.example.com/a.git' }
  const project = (await org.owner.api('POST', '/api/projects', local)).body.id
  const { deployment_id: id } = (await org.owner.api('POST', '/api/deployments', { projectId: project })).body
  expect((await org.owner.api('GET', `/api/deployments/${id}`)).body).toMatchObject({ id, projectId: project })
  expect(projectId).not.toBe(project)
})
