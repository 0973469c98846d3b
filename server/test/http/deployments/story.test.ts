import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { activate } from '../../../src/core/deployments/rows/store.ts'
import { line, makeDeployment, store } from '../../deployments/made.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const { db } = world.platform
const show = async (id: string) => (await api('GET', `/api/deployments/${id}`)).body
const listed = async (id: string) => (await api('GET', `/api/deployments?ids=${id}`)).body.data[0]
const set = (id: string, values: object) =>
  db
    .updateTable('deployment')
    .set(values as never)
    .where('id', '=', id)
    .execute()
const by = { kind: 'token', name: 'owner person', at: expect.any(String) }

test('a row of the list says whose and where it is, and which other ones are part of its story', async () => {
  const old = await makeDeployment(world, org, { ended: new Date() })
  const row = await makeDeployment(world, org, { ended: new Date(), active: true })
  await set(old.id, { projectId: row.projectId, number: 3 })
  const request = JSON.stringify({ buildStrategy: 'auto', rollbackOf: old.id })
  const commitSha = '78125a5c0ffee78125a5c0ffee78125a5c0ffee0'
  const source = JSON.stringify({ kind: 'git', repo: 'https://github.com/acme/shop.git', commitSha })
  const bakeUntil = new Date(Date.now() + 60_000)
  await set(row.id, { number: 4, tookOver: old.id, request, source, supersededBy: 'dep_gone', bakeUntil })
  const seen = await listed(row.id)
  const { serverId } = await db
    .selectFrom('deployment')
    .select('serverId')
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow()
  expect(seen).toMatchObject({
    project: { id: row.projectId, name: expect.stringMatching(/^project /) },
    server: { id: serverId, name: expect.stringMatching(/^server /) },
    previous: { id: old.id, number: 3 },
    rollbackOf: { id: old.id, number: 3 },
    supersededBy: { id: 'dep_gone', number: null },
    commitUrl: `https://github.com/acme/shop/commit/${commitSha}`,
    bakesUntil: bakeUntil.toISOString(),
    ...{ decidedBy: null, cancelledBy: null },
  })
  expect(await show(row.id)).toEqual({ ...seen, plan: null, queue: null })
  expect(await listed(old.id)).toMatchObject({ previous: null, rollbackOf: null, commitUrl: null, bakesUntil: null })
})

test('who cancelled and who decided stays with the deployment', async () => {
  const running = await makeDeployment(world, org)
  expect((await api('POST', `/api/deployments/${running.id}/cancel`)).body.deployment.cancelledBy).toEqual(by)
  const held = await makeDeployment(world, org)
  const since = '2026-01-01T00:00:00.000Z'
  const error = { code: 'crashed', step: null, service: 'web', message: 'It ended.', hint: null, logSeq: null }
  await set(held.id, {
    ...{ status: 'partial_failure', decision: 'pending', error: JSON.stringify(error) },
    waitingOn: JSON.stringify({ kind: 'decision', since }),
  })
  await sql`update run set status = 'parked', gate = 'decision' where id = ${held.id}`.execute(db)
  expect((await show(held.id)).waitingOn).toEqual({
    ...{ kind: 'decision', since, options: ['keep', 'reject'] },
    message: 'It ended. Only some services came up: keep them, or put all back.',
  })
  expect((await api('POST', `/api/deployments/${held.id}/reject`)).body.deployment).toMatchObject({
    ...{ decidedBy: by, cancelledBy: null, waitingOn: null },
  })
})

test('a question says what it asks and what may be answered, also one from before its time was kept', async () => {
  const { id } = await makeDeployment(world, org)
  await set(id, { waitingOn: JSON.stringify({ kind: 'prompt', promptId: 'approve_build' }) })
  expect((await show(id)).waitingOn).toEqual({
    ...{ kind: 'prompt', promptId: 'approve_build', options: ['approve', 'reject'] },
    message: expect.stringContaining('approve every build'),
  })
})

test('one that gave way names the newer one, and how many lines it printed is known without reading them', async () => {
  const { id: serverId } = (await api('POST', '/api/servers', { kind: 'ssh', name: 'one', host: '192.0.2.1' })).body
  const { id: projectId } = (await api('POST', '/api/projects', { name: 'turns', serverId })).body
  const start = async () =>
    (await api('POST', '/api/deployments/build/access', { projectId, image: 'nginx:1', buildStrategy: 'image' })).body
      .deployment_id as string
  const [first, second] = [await start(), await start()]
  expect(await show(first)).toMatchObject({ status: 'superseded', supersededBy: { id: second, number: 2 } })
  await store(world, second, [line('a'), line('b'), line('c')])
  expect((await show(second)).log).toEqual({ lines: 3, lastSeq: 4 })
  const before = await makeDeployment(world, org)
  expect((await show(before.id)).log).toEqual({ lines: null, lastSeq: 0 })
})

test('a project says what serves, what is newest and where it is, in lists too, to whoever may list deployments', async () => {
  const one = await makeDeployment(world, org, { ended: new Date() })
  const urls = ['https://shop.example.com']
  await set(one.id, { number: 1, urls })
  await activate(db, one.projectId, one.id)
  const next = await makeDeployment(world, org, { ended: new Date() })
  await set(next.id, { projectId: one.projectId, number: 2, status: 'failed' })
  const expected = {
    ...{ target: 'server', urls, active: { id: one.id, number: 1, since: expect.any(String) } },
    latest: { id: next.id, number: 2, status: 'failed' },
  }
  const project = (await api('GET', `/api/projects/${one.projectId}`)).body
  expect(project).toMatchObject(expected)
  const page = (await api('GET', '/api/projects')).body.data as { id: string }[]
  expect(page.find(({ id }) => id === one.projectId)).toEqual(project)
  const renamed = await api('PATCH', `/api/projects/${one.projectId}`, { name: 'renamed' })
  expect(renamed.body).toMatchObject(expected)
  const ensured = await api('POST', '/api/projects/ensure', { name: 'renamed' })
  expect(ensured.body).toMatchObject({ created: false, project: expected })
  const token = await world.tokenFor(org.owner, { scopes: ['project:read'] })
  const narrow = (await world.as(token)('GET', `/api/projects/${one.projectId}`)).body
  expect([narrow.active, narrow.latest, narrow.urls]).toEqual([undefined, undefined, undefined])
  const { body } = await api('POST', '/api/projects', { name: 'fresh' })
  expect(body).toMatchObject({ active: null, latest: null, urls: [] })
})
