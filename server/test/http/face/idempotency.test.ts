import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { sshFailure } from '../../../src/drivers/ssh/failure.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const once = (key: string) => ({ 'idempotency-key': key })

test('the same key and body get the same answer, and the act happens once', async () => {
  const first = await api('POST', '/api/projects', { name: 'once' }, once('k1'))
  const second = await api('POST', '/api/projects', { name: 'once' }, once('k1'))
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.text).toBe(first.text)
  expect(second.headers['idempotent-replayed']).toBe('true')
  expect((await api('GET', '/api/projects?name=once')).body.data).toHaveLength(1)
})

test('the same key with another body is refused', async () => {
  await api('POST', '/api/projects', { name: 'one' }, once('k2'))
  const other = await api('POST', '/api/projects', { name: 'two' }, once('k2'))
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch'])
})

test('of many at once one runs; the others hear that it is running or get its answer', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => api('POST', '/api/tokens', { name: 'race' }, once('k3'))),
  )
  const made = answers.filter((answer) => answer.status === 201)
  expect(new Set(made.map((answer) => answer.body.secret)).size).toBe(1)
  expect(answers.every((answer) => answer.status === 201 || answer.body.code === 'request_running')).toBe(true)
  expect((await api('GET', '/api/tokens')).body.data.filter((t: { name: string }) => t.name === 'race')).toHaveLength(1)
})

test('what was refused may be tried again under the same key', async () => {
  await api('POST', '/api/projects', { name: 'blocker' })
  expect((await api('POST', '/api/projects', { name: 'blocker' }, once('k4'))).status).toBe(409)
  const { id } = (await api('GET', '/api/projects?name=blocker')).body.data[0]
  await api('DELETE', `/api/projects/${id}`)
  expect((await api('POST', '/api/projects', { name: 'blocker' }, once('k4'))).status).toBe(201)
})

test('a key is the caller’s own', async () => {
  const colleague = await world.person(org.id, 'developer')
  await api('POST', '/api/projects', { name: 'mine' }, once('k5'))
  expect((await colleague.api('POST', '/api/projects', { name: 'theirs' }, once('k5'))).status).toBe(201)
})

test('a secret in a stored answer is sealed', async () => {
  const { body } = await api('POST', '/api/tokens', { name: 'sealed' }, once('k6'))
  const rows = await world.platform.pool.query(`select response from idempotency where key = 'k6'`)
  expect(rows.rows[0].response).toMatch(/^v1\./)
  expect(rows.rows[0].response).not.toContain(body.secret)
})

test('a claim of a process that died is taken over after a minute, and a day later the key is new', async () => {
  const { pool } = world.platform
  await api('POST', '/api/projects', { name: 'dead' }, once('k7'))
  await pool.query(`update idempotency set status = null, response = null where key = 'k7'`)
  expect((await api('POST', '/api/projects', { name: 'dead' }, once('k7'))).body.code).toBe('request_running')
  await pool.query(`update idempotency set started_at = now() - interval '61 seconds' where key = 'k7'`)
  expect((await api('POST', '/api/projects', { name: 'dead' }, once('k7'))).body.code).toBe('name_taken')
  await api('POST', '/api/projects', { name: 'old' }, once('k8'))
  await pool.query(`update idempotency set started_at = now() - interval '25 hours' where key = 'k8'`)
  expect((await api('POST', '/api/projects', { name: 'new' }, once('k8'))).status).toBe(201)
})

test('a call that takes longer than a minute keeps its key as long as its process lives', async () => {
  const { pool, claims, engines } = world.platform
  const server = (await api('POST', '/api/servers', { kind: 'ssh', name: 'slow', host: '192.0.2.1' })).body
  let end = () => {}
  let began = 0
  const inspect = engines.inspect
  engines.inspect = async () => {
    began++
    await new Promise<void>((done) => {
      end = done
    })
    throw sshFailure('timeout', 'it did not answer')
  }
  const ask = () => api('POST', `/api/servers/${server.id}/check`, undefined, once('k9'))
  const first = ask()
  await expect.poll(() => began).toBe(1)
  const age = () =>
    pool.query(`update idempotency set started_at = started_at - interval '50 seconds' where key = 'k9'`)
  for (let i = 0; i < 3; i++) {
    await age()
    await claims.beat()
    expect((await ask()).body.code).toBe('request_running')
  }
  end()
  expect((await first).status).toBe(200)
  expect([(await ask()).headers['idempotent-replayed'], began]).toEqual(['true', 1])
  engines.inspect = inspect
})

test('a key that is not printable is refused', async () => {
  expect((await api('POST', '/api/projects', { name: 'x' }, once('k\u00e4se'))).status).toBe(400)
})
