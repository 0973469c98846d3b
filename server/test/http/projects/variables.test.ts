import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const { id } = (await api('POST', '/api/projects', { name: 'vars' })).body
const path = `/api/projects/${id}/variables`
const set = (...variables: object[]) => api('PUT', path, { variables })

test('a value is sealed at rest and never listed', async () => {
  const secret = 'p4ssw0rd-in-plain-sight'
  const answer = await set({ name: 'PASSWORD', value: secret, scope: 'runtime' })
  expect(answer.body.variables).toMatchObject([{ name: 'PASSWORD', service: null, scope: 'runtime' }])
  const listed = await api('GET', path)
  const stored = await world.platform.pool.query('select * from variable where project_id = $1', [id])
  const audit = await api('GET', '/api/audit')
  for (const text of [answer.text, listed.text, JSON.stringify(stored.rows), audit.text])
    expect(text).not.toContain(secret)
})

test('revealing needs project:admin and leaves an audit entry', async () => {
  await set({ name: 'REVEALED', value: 'look\nhere $HOME "x"' })
  const developer = await world.person(org.id, 'developer')
  expect((await developer.api('POST', `${path}/reveal`)).body.requires).toBe('project:admin')
  const { variables } = (await api('POST', `${path}/reveal`)).body
  expect(variables).toContainEqual(expect.objectContaining({ name: 'REVEALED', value: 'look\nhere $HOME "x"' }))
  expect((await api('GET', '/api/audit?action=variable.reveal')).body.data[0].detail.names).toContain('REVEALED')
})

test('setting one keeps the others; setting it again replaces it; the last of two in one request counts', async () => {
  await set({ name: 'KEPT', value: '1' }, { name: 'TWICE', value: 'a' }, { name: 'TWICE', value: 'b' })
  await set({ name: 'TWICE', value: 'c', scope: 'build' })
  const values = new Map((await api('POST', `${path}/reveal`)).body.variables.map((v: { name: string }) => [v.name, v]))
  expect(values.get('KEPT')).toMatchObject({ value: '1', scope: 'all' })
  expect(values.get('TWICE')).toMatchObject({ value: 'c', scope: 'build' })
})

test('a sealed value moved to another row does not open', async () => {
  await set({ name: 'MOVED', value: 'x' }, { name: 'TARGET', value: 'y' })
  await world.platform.pool.query(
    `update variable set value = (select value from variable where project_id = $1 and name = 'MOVED') where project_id = $1 and name = 'TARGET'`,
    [id],
  )
  expect((await api('POST', `${path}/reveal`)).status).toBe(500)
  await api('DELETE', `${path}/TARGET`)
})

test('a removed variable is gone and cannot be removed twice', async () => {
  await set({ name: 'GONE', value: '1' })
  expect((await api('DELETE', `${path}/GONE`)).status).toBe(200)
  expect((await api('DELETE', `${path}/GONE`)).status).toBe(404)
})

test.each(['1ABC', 'A-B', 'A B', '', 'A=B', 'Ä'])('the name %j is refused', async (name) => {
  expect((await set({ name, value: 'x' })).status).toBe(400)
})

test('more than a thousand are refused whole', async () => {
  const many = (await api('POST', '/api/projects', { name: 'many' })).body.id
  const put = (from: number, n: number) =>
    api('PUT', `/api/projects/${many}/variables`, {
      variables: Array.from({ length: n }, (_, i) => ({ name: `V${from + i}`, value: 'x' })),
    })
  expect((await put(0, 500)).status).toBe(200)
  expect((await put(500, 500)).status).toBe(200)
  expect((await put(1000, 1)).body.code).toBe('too_large')
  expect((await put(0, 1)).status).toBe(200)
  const pages = await api('GET', `/api/projects/${many}/variables?limit=200`)
  expect([pages.body.data.length, typeof pages.body.nextCursor]).toEqual([200, 'string'])
  const next = await api('GET', `/api/projects/${many}/variables?limit=200&cursor=${pages.body.nextCursor}`)
  expect(next.body.data[0].name > pages.body.data[199].name).toBe(true)
})

test('a service is described, its environment sealed and shown by name only', async () => {
  const put = (body: object) => api('PUT', `/api/projects/${id}/services/web`, body)
  const made = await put({
    port: 3000,
    healthcheck: { path: '/up' },
    environment: { API_KEY: 'k-123456', MODE: 'prod' },
  })
  expect(made.body).toMatchObject({ name: 'web', config: { port: 3000 }, environment: ['API_KEY', 'MODE'] })
  expect(made.text).not.toContain('k-123456')
  expect((await put({ port: 4000 })).body).toMatchObject({ config: { port: 4000 }, environment: ['API_KEY', 'MODE'] })
  expect((await put({ port: 4000, environment: {} })).body.environment).toEqual([])
  expect((await api('GET', `/api/projects/${id}/services`)).body.data).toHaveLength(1)
  expect((await api('DELETE', `/api/projects/${id}/services/web`)).status).toBe(200)
  expect((await api('DELETE', `/api/projects/${id}/services/web`)).status).toBe(404)
})

test.each([
  [{ build: '/etc' }, 'build'],
  [{ build: '../other' }, 'build'],
  [{ dockerfile: 'a/../../x' }, 'dockerfile'],
  [{ replicas: -1 }, 'replicas'],
  [{ port: 70000 }, 'port'],
])('the service description %j is refused', async (body, field) => {
  const answer = await api('PUT', `/api/projects/${id}/services/web`, body)
  expect([answer.status, answer.body.field]).toEqual([400, field])
})

test('one name set by many at once ends as one of them', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => set({ name: 'RACE', value: `${i}` }, { name: 'B', value: 'x' })),
  )
  expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200))
  const { variables } = (await api('POST', `${path}/reveal`)).body
  expect(variables.filter((v: { name: string }) => v.name === 'RACE')).toHaveLength(1)
})

test('names as long as they may be still make pages', async () => {
  const long = (await api('POST', '/api/projects', { name: 'long' })).body.id
  const at = `/api/projects/${long}/variables`
  await api('PUT', at, { variables: ['A', 'B'].map((c) => ({ name: c.repeat(200), value: 'x' })) })
  const first = (await api('GET', `${at}?limit=1`)).body
  const second = await api('GET', `${at}?limit=1&cursor=${first.nextCursor}`)
  expect([second.status, second.body.data.length, second.body.nextCursor]).toEqual([200, 1, null])
})

test('revealed values are never kept for an Idempotency-Key: each reveal is audited', async () => {
  const key = { 'idempotency-key': 'again' }
  for (let i = 0; i < 2; i++)
    expect((await api('POST', `${path}/reveal`, undefined, key)).headers['idempotent-replayed']).toBeUndefined()
})
