import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { makeDeployment } from '../../deployments/made.ts'
import { announce, file, upload } from '../folder-sessions/folder.ts'

const world = await startWorld({ baseDomain: 'apps.example.net' })
const org = await world.org()
const other = await world.org('Other')
const { api } = org.owner
await api('POST', '/api/servers', { kind: 'ssh', name: 'one', host: '192.0.2.1' })
const REPOSITORY = 'https://git.example.com/shop.git'
let made = 0
const project = async (more: object = {}) =>
  (await api('POST', '/api/projects', { name: `project ${++made}`, ...more })).body.id as string
const access = (body: object, by = api) => by('POST', '/api/deployments/build/access', body)
const sourceOf = async (id: string) => (await api('GET', `/api/deployments/${id}`)).body.source
const ANSWER = { success: true, deployment_id: expect.stringMatching(/^dep_/), project_id: expect.any(String) }

describe('POST /api/deployments', () => {
  test('answers with success, deployment_id and project_id, and takes the branch named or that of the project', async () => {
    const projectId = await project({ repository: REPOSITORY, branch: 'main' })
    const { status, body } = await api('POST', '/api/deployments', { projectId, branch: 'feature' })
    expect([status, body]).toEqual([201, { ...ANSWER, project_id: projectId }])
    expect(await sourceOf(body.deployment_id)).toEqual({ kind: 'git', repo: REPOSITORY, branch: 'feature' })
    const plain = await api('POST', '/api/deployments', { projectId })
    expect(await sourceOf(plain.body.deployment_id)).toMatchObject({ branch: 'main' })
  })

  test('needs a project, and one that is linked to a repository', async () => {
    const none = await api('POST', '/api/deployments', { branch: 'main' })
    expect([none.status, none.body.field]).toEqual([400, 'projectId'])
    const unlinked = await api('POST', '/api/deployments', { projectId: await project() })
    expect([unlinked.status, unlinked.body.code]).toEqual([400, 'no_source'])
  })
})

describe('POST /api/deployments/build/access', () => {
  test('answers with success, deployment_id and project_id, and nothing else; the deployment is there', async () => {
    const projectId = await project()
    const uploadSessionId = await upload(api, { 'index.html': 'x' })
    const { status, body } = await access({ projectId, uploadSessionId })
    expect([status, body]).toEqual([201, { ...ANSWER, project_id: projectId }])
    const shown = (await api('GET', `/api/deployments/${body.deployment_id}`)).body
    expect(shown).toMatchObject({ projectId, trigger: 'upload', source: { kind: 'upload', uploadSessionId } })
  })

  test('takes a git project with a branch or without', async () => {
    const projectId = await project({ repository: REPOSITORY, branch: 'main' })
    const branch = async (more: object) => sourceOf((await access({ projectId, ...more })).body.deployment_id)
    expect(await branch({})).toMatchObject({ kind: 'git', branch: 'main' })
    expect(await branch({ branch: 'feature' })).toMatchObject({ kind: 'git', branch: 'feature' })
  })

  test('takes the project that was ensured and the folder that was uploaded for it', async () => {
    const ensured = await api('POST', '/api/projects/ensure', { name: 'ensured' })
    const uploadSessionId = await upload(api, { 'index.html': 'y' })
    expect((await access({ projectId: ensured.body.project.id, uploadSessionId })).status).toBe(201)
  })

  test('refuses a folder that is not sealed, and does not know one of another organization', async () => {
    const projectId = await project()
    const open = (await announce(api, [file('index.html', 'never sent')])).body.uploadSessionId
    expect(await access({ projectId, uploadSessionId: open })).toMatchObject({
      status: 400,
      body: { code: 'not_sealed', field: 'uploadSessionId' },
    })
    const theirs = await upload(other.owner.api, { 'index.html': 'x' })
    expect((await access({ projectId, uploadSessionId: theirs })).status).toBe(404)
  })

  test.each(['auto', 'dockerfile', 'static', 'image', 'compose'])(
    'takes the build strategy %s',
    async (buildStrategy) => {
      expect((await access({ projectId: await project(), image: 'busybox:1', buildStrategy })).status).toBe(201)
    },
  )

  test.each<[field: string, body: object]>([
    ['projectId', { projectId: undefined }],
    ['buildStrategy', { buildStrategy: 'magic' }],
    ['deployTarget', { deployTarget: 'moon' }],
    ['branch', { branch: 'a b' }],
    ['publicEndpoints', { publicEndpoints: { port: 80 } }],
    ['publicEndpoints.0.port', { publicEndpoints: [{ port: 70_000 }] }],
    ['publicEndpoints.0.targetPath', { publicEndpoints: [{ targetPath: '../x' }] }],
    ['publicEndpoints.0.customDomain', { publicEndpoints: [{ customDomain: 'no name' }] }],
    ['publicEndpoints.0.domainType', { publicEndpoints: [{ domainType: 'x' }] }],
    ['publicEndpoints', { publicEndpoints: [{ domainType: 'custom' }] }],
    ['services', { services: {} }],
    ['services.0.name', { services: [{ image: 'busybox:1' }] }],
    ['services.0.image', { services: [{ name: 'web', image: 'no image' }] }],
    ['services.0.build', { services: [{ name: 'web', build: '../outside' }] }],
    ['services.0.dockerfile', { services: [{ name: 'web', dockerfile: '/Dockerfile' }] }],
    ['services.0.ports.0', { services: [{ name: 'web', ports: [0] }] }],
    ['services.0.dependsOn.0', { services: [{ name: 'web', dependsOn: ['No Name'] }] }],
    ['services.0.environment', { services: [{ name: 'web', environment: ['A=b'] }] }],
    ['services.0.volumes', { services: [{ name: 'web', volumes: 'data:/data' }] }],
  ])('refuses a wrong %s and names it: %j', async (field, body) => {
    const answer = await access({ projectId: await project(), image: 'busybox:1', ...body })
    expect([answer.status, answer.body.success, answer.body.field]).toEqual([400, false, field])
  })

  test('claims the custom domain it names, with its path, and none that another project has', async () => {
    const projectId = await project()
    const endpoint = { customDomain: 'shop.example.com', domainType: 'custom', targetPath: '/api', port: 8080 }
    const body = { image: 'busybox:1', publicEndpoints: [endpoint] }
    expect((await access({ projectId, ...body })).status).toBe(201)
    const { data } = (await api('GET', `/api/projects/${projectId}/domains`)).body
    expect(data).toMatchObject([{ host: 'shop.example.com', targetPath: '/api', port: 8080 }])
    const taken = await access({ projectId: await project(), ...body })
    expect([taken.status, taken.body.code]).toEqual([409, 'name_taken'])
  })
})

describe('GET /api/deployments', () => {
  test('lists the deployments of the organization, newest first, by pages', async () => {
    const mine = await world.org('Pages')
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push((await makeDeployment(world, mine, { ended: new Date() })).id)
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await mine.owner.api('GET', `/api/deployments?limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    }
    expect(seen).toEqual(ids.reverse())
    const empty = (await world.org('Empty')).owner
    expect((await empty.api('GET', '/api/deployments')).body).toEqual({ data: [], nextCursor: null })
  })

  test('lists those of one project when it is asked for', async () => {
    const [one, two] = [await makeDeployment(world, org), await makeDeployment(world, org)]
    const listed = async (projectId: string, by = api) =>
      (await by('GET', `/api/deployments?projectId=${projectId}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await listed(one.projectId)).toEqual([one.id])
    expect(await listed(two.projectId)).toEqual([two.id])
    expect(await listed(one.projectId, other.owner.api)).toEqual([])
  })
  test('lists those of a status or of a branch when they are asked for', async () => {
    const mine = await world.org('Filters')
    const [one, two] = [await makeDeployment(world, mine, { ended: new Date() }), await makeDeployment(world, mine)]
    await world.platform.db.updateTable('deployment').set({ branch: 'main' }).where('id', '=', two.id).execute()
    const listed = async (query: string) =>
      (await mine.owner.api('GET', `/api/deployments?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await listed('status=ready')).toEqual([one.id])
    expect(await listed('status=building')).toEqual([two.id])
    expect(await listed('branch=main')).toEqual([two.id])
    expect((await mine.owner.api('GET', '/api/deployments?status=lost')).status).toBe(400)
  })
  test('lists those of several states in one order, page by page, and by how and by whom they were begun', async () => {
    const mine = await world.org('Several')
    const made: string[] = []
    for (const status of ['failed', 'ready', 'failed', 'cancelled', 'ready'] as const) {
      const { id } = await makeDeployment(world, mine, { ended: new Date() })
      await world.platform.db.updateTable('deployment').set({ status }).where('id', '=', id).execute()
      made.unshift(id)
    }
    const [newest = '', cancelled, failed, ready, oldest] = made
    const page = async (query: string) => (await mine.owner.api('GET', `/api/deployments?${query}`)).body
    const listed = async (query: string) => (await page(query)).data.map(({ id }: { id: string }) => id)
    expect(await listed('status=ready,failed')).toEqual([newest, failed, ready, oldest])
    expect(await listed('status=ready,cancelled,ready')).toEqual([newest, cancelled, ready])
    const first = await page('status=ready,failed&limit=3')
    expect(first.data).toHaveLength(3)
    expect(await listed(`status=ready,failed&limit=3&cursor=${first.nextCursor}`)).toEqual([oldest])
    const pushed = { trigger: 'push', createdBy: JSON.stringify({ kind: 'push', name: 'ada' }) } as const
    await world.platform.db.updateTable('deployment').set(pushed).where('id', '=', newest).execute()
    expect(await listed('trigger=push')).toEqual([newest])
    expect(await listed('by=ada&status=ready,failed')).toEqual([newest])
    expect(await listed('by=x&trigger=manual&status=failed')).toEqual([failed, oldest])
    for (const wrong of ['status=ready,lost', 'status=,', 'trigger=wind'])
      expect((await mine.owner.api('GET', `/api/deployments?${wrong}`)).status).toBe(400)
  })
})
