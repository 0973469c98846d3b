import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { sealRelease } from '../../../src/core/deployments/rows/release.ts'
import { DriverFailure } from '../../../src/errors.ts'
import { makeDeployment } from '../../deployments/made.ts'

/** What an engine answers is its own tests' concern; here, what is made of it, and how often it is asked. */
const world = await startWorld()
const org = await world.org()
const other = await world.org('Other')
const { db, keys, runtime } = world.platform
let asked = 0
let isAway = false

type Task = { service: string; deployment: string; state?: string; health?: string | null; startedAt?: string }
function engineHas(tasks: Task[], wanted: { service: string; deployment: string; replicas: number; job?: boolean }[]) {
  runtime.observe = async () => {
    asked++
    if (isAway) throw new DriverFailure('engine', 'engine_timeout', 'It did not answer.', { hint: 'Look at it.' })
    return wanted.map(({ replicas, job = false, ...one }) => ({ ...one, job, replicas: { wanted: replicas } })) as never
  }
  runtime.tasks = async () =>
    tasks.map((task) => ({ state: 'running', health: null, startedAt: null, ...task })) as never
}

async function released(services: Record<string, string>) {
  const made = await makeDeployment(world, org, { ended: new Date(), active: true })
  const specs = Object.entries(services).map(([service, deployment]) => ({
    ...{
      service,
      project: made.projectId,
      deployment: deployment || made.id,
      image: 'x',
      environment: {},
      networks: [],
    },
  }))
  const release = sealRelease({ keys }, made.id, { services: specs as never })
  await db.updateTable('deployment').set({ release, number: 7 }).where('id', '=', made.id).execute()
  return made
}
const serving = (id: string, by = org.owner.api) => by('GET', `/api/projects/${id}/serving`)

test('each service is told with the deployment whose form the engine runs, and whether the release has it so', async () => {
  const { id, projectId } = await released({ web: '', worker: 'dep_gone', db: '' })
  engineHas(
    [
      { service: 'web', deployment: id, health: 'healthy', startedAt: '2026-01-01T00:00:02.000Z' },
      { service: 'web', deployment: id, health: 'starting', startedAt: '2026-01-01T00:00:01.000Z' },
      { service: 'web', deployment: 'dep_new', state: 'starting' },
      { service: 'worker', deployment: 'dep_gone' },
      { service: 'copy', deployment: id },
    ],
    [
      { service: 'web', deployment: id, replicas: 2 },
      { service: 'worker', deployment: 'dep_gone', replicas: 1 },
      { service: 'copy', deployment: id, replicas: 1, job: true },
    ],
  )
  const { status, body } = await serving(projectId)
  expect([status, body.target, body.active, body.unreachable]).toEqual([200, 'server', { id, number: 7 }, undefined])
  expect(body.seenAt).toEqual(expect.any(String))
  const seenAt = body.seenAt
  const none = { number: null, since: null, seenAt }
  expect(body.data).toEqual([
    {
      ...{ service: 'web', deploymentId: id, number: 7, asReleased: true, seenAt },
      ...{ replicas: { wanted: 2, running: 2, healthy: 1 }, since: '2026-01-01T00:00:01.000Z' },
    },
    {
      ...{ service: 'worker', deploymentId: 'dep_gone', asReleased: true, ...none },
      replicas: { wanted: 1, running: 1, healthy: 1 },
    },
    {
      ...{ service: 'web', deploymentId: 'dep_new', asReleased: false, ...none },
      replicas: { wanted: 0, running: 0, healthy: 0 },
    },
    { service: 'db', deploymentId: null, asReleased: false, ...none, replicas: { wanted: 0, running: 0, healthy: 0 } },
  ])
})

test('a hundred who look at once cost one question, and an engine that is away leaves what it said last, with its time', async () => {
  const { id, projectId } = await released({ web: '' })
  engineHas([{ service: 'web', deployment: id }], [{ service: 'web', deployment: id, replicas: 1 }])
  asked = 0
  const seen = await Promise.all(Array.from({ length: 100 }, () => serving(projectId)))
  expect(new Set(seen.map(({ text }) => text)).size).toBe(1)
  expect(asked).toBe(1)
  isAway = true
  await expect.poll(async () => (await serving(projectId)).body.unreachable, { timeout: 10_000 }).toBe(true)
  const { body } = await serving(projectId)
  isAway = false
  expect(body).toMatchObject({ reason: 'It did not answer.', data: seen[0]?.body.data, seenAt: seen[0]?.body.seenAt })
  await expect.poll(async () => (await serving(projectId)).body.unreachable, { timeout: 10_000 }).toBeUndefined()
})

test('an engine that never answered has said nothing, and a fault of ours is not told as its silence', async () => {
  const { projectId } = await released({ web: '' })
  isAway = true
  engineHas([], [])
  expect((await serving(projectId)).body).toMatchObject({ unreachable: true, data: [], seenAt: null })
  isAway = false
  const broken = await released({ web: '' })
  runtime.observe = async () => {
    throw new Error('a bug')
  }
  expect((await serving(broken.projectId)).status).toBe(500)
})

test('what was never deployed asks nobody, of a project in the cloud nothing is known here, and a foreign one is not there', async () => {
  const { id } = (await org.owner.api('POST', '/api/projects', { name: 'new' })).body
  asked = 0
  const nothing = { server: null, active: null, data: [], seenAt: null }
  expect((await serving(id)).body).toEqual({ target: 'server', ...nothing })
  const moved = await released({ web: '' })
  await db.updateTable('project').set({ target: 'cloud' }).where('id', '=', moved.projectId).execute()
  expect((await serving(moved.projectId)).body).toEqual({ target: 'cloud', ...nothing })
  expect(asked).toBe(0)
  expect((await serving(moved.projectId, other.owner.api)).status).toBe(404)
})
