import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner

test('a project is made with safe defaults and read back', async () => {
  const made = await api('POST', '/api/projects', { name: '  shop  ' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    name: 'shop',
    repository: null,
    serverId: null,
    version: 1,
    settings: {
      ...{ rollbackWindow: 5, bakeSeconds: 60, approveBuild: false, approveRelease: false, autoDeploy: true },
      ...{
        watchPaths: [],
        skipWords: ['[skip deploy]', '[deploy skip]', '[skip ci]', '[ci skip]'],
        reportStatus: true,
      },
    },
  })
  const shown = await api('GET', `/api/projects/${made.body.id}`)
  expect(shown.body).toEqual(made.body)
  expect(shown.headers.etag).toBe('"1"')
})

test('a name belongs to one project of an organization, whatever its case, also when asked for at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => api('POST', '/api/projects', { name: i % 2 ? 'Race' : 'race' })),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(7).fill(409)])
  const other = await world.org('Other')
  expect((await other.owner.api('POST', '/api/projects', { name: 'race' })).status).toBe(201)
})

test('ensure makes a project once, also when asked for at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => api('POST', '/api/projects/ensure', { name: 'ensured' })),
  )
  expect(answers.every((answer) => answer.status === 200)).toBe(true)
  expect(new Set(answers.map((answer) => answer.body.project.id)).size).toBe(1)
  expect(answers.filter((answer) => answer.body.created)).toHaveLength(1)
})

test('ensure by repository names the project after it and finds it again', async () => {
  const repository = 'https://git.example.com/team/api-server.git'
  const first = await api('POST', '/api/projects/ensure', { repository })
  expect(first.body).toMatchObject({ created: true, project: { name: 'api-server', repository } })
  expect((await api('POST', '/api/projects/ensure', { repository })).body.project.id).toBe(first.body.project.id)
  expect((await api('POST', '/api/projects/ensure', {})).body).toMatchObject({ code: 'invalid_request', field: 'name' })
  const clash = await api('POST', '/api/projects/ensure', {
    repository: 'https://git.example.com/other/api-server.git',
  })
  expect([clash.status, clash.body.code]).toEqual([409, 'name_taken'])
})

test.each([
  'ext::sh -c touch% /tmp/x',
  'file:///etc',
  '--upload-pack=x',
  'http://plain.example/x',
  'https://x y',
  'https://me:s3cret@git.example.com/x',
  'https://token@git.example.com/x',
  'ssh://git:pw@git.example.com/x',
])('the repository address %j is refused', async (repository) => {
  const answer = await api('POST', '/api/projects', { name: 'bad repo', repository })
  expect([answer.status, answer.body.field]).toEqual([400, 'repository'])
})

test('a patch changes what it names and nothing else', async () => {
  const { body } = await api('POST', '/api/projects', { name: 'patched', branch: 'main', settings: { bakeSeconds: 5 } })
  const patched = await api('PATCH', `/api/projects/${body.id}`, { settings: { rollbackWindow: 9 } })
  expect(patched.body).toMatchObject({
    name: 'patched',
    branch: 'main',
    version: 2,
    settings: { bakeSeconds: 5, rollbackWindow: 9 },
  })
  const cleared = await api('PATCH', `/api/projects/${body.id}`, { branch: null })
  expect(cleared.body).toMatchObject({ branch: null, settings: { rollbackWindow: 9 } })
})

test('a change made on an old version is refused', async () => {
  const { body } = await api('POST', '/api/projects', { name: 'versions' })
  const patch = (etag: string) => api('PATCH', `/api/projects/${body.id}`, { branch: 'x' }, { 'if-match': etag })
  expect((await patch('"1"')).status).toBe(200)
  const stale = await patch('"1"')
  expect([stale.status, stale.body.code]).toEqual([412, 'stale'])
  expect((await patch('"2"')).headers.etag).toBe('"3"')
  expect((await patch('W/"rubbish"')).status).toBe(412)
})

test('renaming to a taken name is refused, to its own in other letters is not', async () => {
  const { body } = await api('POST', '/api/projects', { name: 'first' })
  await api('POST', '/api/projects', { name: 'second' })
  expect((await api('PATCH', `/api/projects/${body.id}`, { name: 'SECOND' })).status).toBe(409)
  expect((await api('PATCH', `/api/projects/${body.id}`, { name: 'FIRST' })).status).toBe(200)
})

test('a deleted project takes its services, variables and tokens along', async () => {
  const { body } = await api('POST', '/api/projects', { name: 'doomed' })
  await api('PUT', `/api/projects/${body.id}/variables`, { variables: [{ name: 'A', value: '1' }] })
  await api('PUT', `/api/projects/${body.id}/services/web`, { port: 3000 })
  const token = (await api('POST', '/api/tokens', { name: 't', projectId: body.id })).body.secret
  expect((await world.as(token)('GET', `/api/projects/${body.id}`)).status).toBe(200)
  expect((await api('DELETE', `/api/projects/${body.id}`)).body).toEqual({ success: true })
  expect((await api('GET', `/api/projects/${body.id}`)).status).toBe(404)
  expect((await world.as(token)('GET', '/api/me')).status).toBe(401)
  for (const table of ['service', 'variable']) {
    const left = await world.platform.pool.query(`select 1 from ${table} where project_id = $1`, [body.id])
    expect(left.rowCount).toBe(0)
  }
})

test('pages of projects are newest first, complete and without repeats', async () => {
  const fresh = await world.org('Pages')
  for (let i = 0; i < 7; i++) await fresh.owner.api('POST', '/api/projects', { name: `p${i}` })
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await fresh.owner.api('GET', `/api/projects?limit=2${cursor && `&cursor=${cursor}`}`)
    seen.push(...body.data.map((p: { name: string }) => p.name))
    cursor = body.nextCursor
  }
  expect(seen).toEqual(['p6', 'p5', 'p4', 'p3', 'p2', 'p1', 'p0'])
})

test('a name is data: markup, quotes and other scripts come back as they are', async () => {
  for (const name of [`<script>alert(1)</script>`, `'; drop table project; --`, '日本語 $(id) `id`', '../../etc']) {
    const { body } = await api('POST', '/api/projects', { name })
    expect((await api('GET', `/api/projects/${body.id}`)).body.name).toBe(name)
  }
  expect((await api('POST', '/api/projects', { name: 'a\u0000b' })).status).toBe(400)
  expect((await api('POST', '/api/projects', { name: 'x'.repeat(81) })).status).toBe(400)
})
