import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { makeDeployment } from '../../deployments/made.ts'

const world = await startWorld({ baseDomain: 'apps.example.net' })
const org = await world.org()
const other = await world.org('Other')
const { api } = org.owner
const server = (await api('POST', '/api/servers', { kind: 'ssh', name: 'one', host: '192.0.2.1' })).body.id as string
const REPOSITORY = 'https://git.example.com/a.git'
let made = 0
const project = async (): Promise<string> =>
  (await api('POST', '/api/projects', { name: `p ${++made}`, repository: REPOSITORY, serverId: server })).body.id
const begin = async (projectId: string, more: object = {}, headers: Record<string, string> = {}) =>
  (await api('POST', '/api/deployments', { projectId, ...more }, headers)).body.deployment_id as string
const show = async (id: string, query = '') => (await api('GET', `/api/deployments/${id}${query}`)).body

describe('what whoever began it said', () => {
  test('is shown with it and in lists, and not repeated by a redeployment', async () => {
    const projectId = await project()
    const id = await begin(projectId, { message: '  fix the cart  ' })
    expect(await show(id)).toMatchObject({ message: 'fix the cart' })
    const [listed] = (await api('GET', `/api/deployments?projectId=${projectId}`)).body.data
    expect(listed.message).toBe('fix the cart')
    await api('POST', `/api/deployments/${id}/cancel`)
    const again = await api('POST', `/api/deployments/${id}/redeploy`, {})
    expect(again.body.deployment.message).toBeNull()
    expect(await show(await begin(projectId))).toMatchObject({ message: null })
  })

  test('is a text of some length', async () => {
    const projectId = await project()
    for (const message of ['', '   ', 'x'.repeat(501), 7]) {
      const { status, body } = await api('POST', '/api/deployments', { projectId, message })
      expect([status, body.field]).toEqual([400, 'message'])
    }
  })
})

describe('the program that began it', () => {
  test.each([
    ['slipway/0.4.0 (linux; node 24)', 'slipway/0.4.0'],
    ['curl/8.10.1', 'curl/8.10.1'],
    ['Mozilla/5.0 (X11; Linux x86_64)', null],
    ['<b>/1', null],
    [`a/${'1'.repeat(60)}`, null],
  ])('%s is shown as %s', async (agent, client) => {
    const id = await begin(await project(), {}, { 'user-agent': agent })
    expect((await show(id)).createdBy.client).toBe(client)
  })
})

describe('a deployment by its number', () => {
  test('is found within its project, for whoever may see that', async () => {
    const projectId = await project()
    await begin(projectId)
    const { number } = await show(await begin(projectId))
    const list = async (query: string, by = api) => (await by('GET', `/api/deployments?${query}`)).body
    const found = await list(`projectId=${projectId}&number=${number}`)
    expect(found.data.map((one: { number: number }) => one.number)).toEqual([number])
    expect((await list(`projectId=${projectId}&number=99`)).data).toEqual([])
    expect((await list(`projectId=${projectId}&number=${number}`, other.owner.api)).data).toEqual([])
    expect(await list('number=1')).toMatchObject({ code: 'invalid_request', field: 'projectId' })
  })

  test('so is the one that serves', async () => {
    const { id, projectId } = await makeDeployment(world, org, { ended: new Date(), active: true })
    await begin(await project())
    const { data } = (await api('GET', `/api/deployments?projectId=${projectId}&active=true`)).body
    expect(data.map((one: { id: string }) => one.id)).toEqual([id])
  })
})

describe('?wait=', () => {
  test('answers at once when it has ended, and when it waits for somebody', async () => {
    const ended = await makeDeployment(world, org, { ended: new Date() })
    const asking = await makeDeployment(world, org)
    const waitingOn = JSON.stringify({ kind: 'prompt', promptId: 'approve_build' })
    await world.platform.db.updateTable('deployment').set({ waitingOn }).where('id', '=', asking.id).execute()
    const began = performance.now()
    expect(await show(ended.id, '?wait=60')).toMatchObject({ status: 'ready' })
    expect(await show(asking.id, '?wait=60')).toMatchObject({ status: 'building' })
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  test('answers when it ends', async () => {
    const id = await begin(await project())
    const waiting = show(id, '?wait=60')
    await api('POST', `/api/deployments/${id}/cancel`)
    expect(await waiting).toMatchObject({ status: 'cancelled' })
  })

  test('answers with how it is when the time is over', async () => {
    const id = await begin(await project())
    const began = performance.now()
    expect(await show(id, '?wait=1')).toMatchObject({ status: 'queued' })
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  test.each(['0', '61', 'x'])('refuses %s seconds', async (seconds) => {
    const id = await begin(await project())
    expect(await show(id, `?wait=${seconds}`)).toMatchObject({ code: 'invalid_request', field: 'wait' })
  })

  test('does not know a deployment of another organization', async () => {
    const id = await begin(await project())
    expect((await other.owner.api('GET', `/api/deployments/${id}?wait=5`)).status).toBe(404)
  })
})
