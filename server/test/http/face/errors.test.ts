import { ERROR_CODES, ErrorBody } from '@slipway/contract/errors'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { factories } from '../../matrix/factories.ts'

const world = await startWorld()
const { owner } = await world.org()
const { api } = owner

test.each([
  ['a missing field', 'POST', '/api/projects', {}, 400, 'invalid_request', 'name'],
  ['a field of the wrong type', 'POST', '/api/projects', { name: 7 }, 400, 'invalid_request', 'name'],
  [
    'a nested field',
    'POST',
    '/api/projects',
    { name: 'x', settings: { rollbackWindow: 0 } },
    400,
    'invalid_request',
    'settings.rollbackWindow',
  ],
  ['a zero byte', 'PATCH', '/api/projects/prj_x', { branch: 'a\0b' }, 400, 'invalid_request', 'branch'],
  ['half a character', 'POST', '/api/projects', { name: 'a\ud800' }, 400, 'invalid_request', 'name'],
  [
    'a zero byte deep inside',
    'PUT',
    '/api/projects/prj_x/services/web',
    { command: ['a', '\0'] },
    400,
    'invalid_request',
    'command.1',
  ],
  ['a query that is out of range', 'GET', '/api/projects?limit=201', undefined, 400, 'invalid_request', 'limit'],
  ['a cursor we did not make', 'GET', '/api/projects?cursor=%00', undefined, 400, 'invalid_request', 'cursor'],
  ['a route that does not exist', 'GET', '/api/nothing', undefined, 404, 'route_not_found', undefined],
  ['a method that does not exist', 'PUT', '/api/projects', {}, 404, 'route_not_found', undefined],
])('%s is answered in the one form of an error', async (_, method, path, body, status, code, field) => {
  const answer = await api(method, path, body)
  expect(answer.status).toBe(status)
  expect(ErrorBody.parse(answer.body)).toMatchObject({ success: false, code, ...(field && { field }) })
  expect(answer.body.requestId).toBe(answer.headers['x-request-id'])
})

test('JSON that cannot be parsed, a body that is too large and a wrong content type are refused in the same form', async () => {
  const json = { 'content-type': 'application/json' }
  const broken = await api('POST', '/api/projects', Buffer.from('{'), json)
  expect([broken.status, broken.body.code]).toEqual([400, 'invalid_request'])
  const large = await api('POST', '/api/projects', Buffer.from(JSON.stringify({ name: 'x'.repeat(1_100_000) })), json)
  expect([large.status, large.body.code]).toEqual([413, 'too_large'])
  const xml = await api('POST', '/api/projects', Buffer.from('<x/>'), { 'content-type': 'text/xml' })
  expect([xml.status, xml.body.code]).toEqual([415, 'unsupported_media_type'])
  const stream = await api('POST', '/api/projects', Buffer.from('x'), { 'content-type': 'application/octet-stream' })
  expect([stream.status, stream.body.code]).toEqual([415, 'unsupported_media_type'])
  const poisoned = await api('POST', '/api/projects', Buffer.from('{"name":"x","__proto__":{"a":1}}'), json)
  expect([poisoned.status, poisoned.body.error]).toEqual([400, expect.stringContaining('__proto__')])
})

test('a bug is a 500 that tells nothing but the request id', async () => {
  const { pool } = world.platform
  const original = pool.query
  pool.query = (() => Promise.reject(new Error('column "secret_thing" does not exist'))) as never
  const answer = await api('GET', '/api/projects')
  pool.query = original
  expect([answer.status, answer.body.code]).toEqual([500, 'internal'])
  expect(answer.text).not.toContain('secret_thing')
})

test.each([
  ['of the database', '53100', /database/],
  ['of the instance', 'ENOSPC', /this instance/],
])('a full disk %s is told as such, with what to do', async (_, code, words) => {
  const { pool } = world.platform
  const original = pool.query
  pool.query = (() => Promise.reject(Object.assign(new Error('no space left on device'), { code }))) as never
  const answer = await api('GET', '/api/projects')
  pool.query = original
  expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([507, 'disk_full', '60'])
  expect(answer.body.error).toMatch(words)
  expect(answer.body.hint).toContain('Free some space')
})

test('problem+json is given to those who ask for it', async () => {
  const answer = await api('GET', '/api/projects/prj_x', undefined, { accept: 'application/problem+json' })
  expect(answer.headers['content-type']).toContain('application/problem+json')
  expect(answer.body).toMatchObject({ status: 404, title: ERROR_CODES.not_found[1], code: 'not_found', success: false })
})

test('a 401 says how to authenticate', async () => {
  const answer = await world.as('')('GET', '/api/projects')
  expect(answer.headers['www-authenticate']).toContain('Bearer')
  expect(answer.body.hint).toContain('Authorization: Bearer')
})

test('a plain request id of the caller is kept, anything else is replaced', async () => {
  expect((await api('GET', '/api/me', undefined, { 'x-request-id': 'trace-1' })).headers['x-request-id']).toBe(
    'trace-1',
  )
  const odd = await api('GET', '/api/me', undefined, { 'x-request-id': 'a b"c' })
  expect(odd.headers['x-request-id']).toMatch(/^req_/)
})

test('too many requests are refused with the limit named, per token', async () => {
  const small = await startWorld({ rate: { perAddress: 1000, perToken: 3 } })
  const { owner: busy } = await small.org()
  const answers = []
  for (let i = 0; i < 5; i++) answers.push(await busy.api('GET', '/api/me'))
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 429, 429])
  expect(answers[4]?.body.error).toContain('3 requests')
  expect(Number(answers[4]?.headers['retry-after'])).toBeGreaterThan(0)
  expect(answers[4]?.headers['ratelimit-policy']).toBe('"token";q=3;w=60')
  const other = await small.person(busy.orgId, 'viewer')
  expect((await other.api('GET', '/api/me')).status).toBe(200)
})

test('too many requests without credentials are refused per address', async () => {
  const small = await startWorld({ rate: { perAddress: 2, perToken: 1000 } })
  const answers = []
  for (let i = 0; i < 3; i++) answers.push((await small.as('')('GET', '/api/me')).status)
  expect(answers).toEqual([401, 401, 429])
  expect((await small.as('')('GET', '/healthz')).status).toBe(200)
})

test('text that PostgreSQL cannot hold is the caller’s mistake, not ours', async () => {
  const { id } = (await api('POST', '/api/projects', { name: 'texts' })).body
  const answers = [
    await api('POST', '/api/tokens', { name: 'a\u0000b' }),
    await api('GET', '/api/audit?action=%00'),
    await api('PUT', `/api/projects/${id}/services/web`, { startCommand: 'a\u0000b' }),
  ]
  for (const answer of answers) expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
})

test('a server that cannot be reached is its own failure, in words', async () => {
  const org = await world.org('Unreachable')
  const id = (await factories(world).dep?.make(org))?.value
  const answer = await org.owner.api('GET', `/api/deployments/${id}/info`)
  expect([answer.status, answer.body.code]).toEqual([502, 'server_unreachable'])
  expect(answer.body.hint).toBeTruthy()
})

test('an id that cannot exist is one that does not', async () => {
  const long = 'x'.repeat(65)
  for (const id of [long, 'dep%00x']) {
    const { status, body } = await owner.api('GET', `/api/deployments/${id}`)
    expect([id, status, body.error]).toEqual([id, 404, 'No such deployment.'])
  }
  expect((await owner.api('GET', '/api/projects/%00')).status).toBe(404)
  const destination = await owner.api('POST', `/api/backup-destinations/${long}/preflight`)
  expect([destination.status, destination.body.error]).toEqual([404, 'No such backup destination.'])
})
