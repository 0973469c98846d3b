import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { trialNetwork, trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import { callEngine } from '../../engine/ask.ts'
import { connectEngine } from '../../engine/connect.ts'
import { findService } from '../find.ts'
import { LABEL } from '../labels.ts'
import type { ServiceSpec } from '../rollout/spec.ts'
import { updateService } from '../rollout/write.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const instance = 'test-snapshot'
const runtime = trialRuntime({ instance })
const { signal } = new AbortController()
const made: string[] = []

/** Each test has a project of its own. */
function newProject(): string {
  const project = `prj_r${randomBytes(4).toString('hex')}`
  made.push(project)
  return project
}

afterAll(async () => {
  await Promise.all(made.map((project) => runtime.withdraw(engine, project, { signal, atOnce: true })))
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
  await until('the volumes to be free', 45_000, async () => {
    const ends = await Promise.all(
      made.map((project) =>
        callEngine(docker, { method: 'DELETE', path: `/volumes/${project}-data` }, signal).catch((error) => error),
      ),
    )
    return ends.every((end) => !(end instanceof Error) || (end as { statusCode?: number }).statusCode === 404)
  })
  close()
  runtime.close()
}, 90_000)

type Mode = Parameters<typeof trialSpec>[1]

async function apply(project: string, service: string, mode: Mode, more: Partial<ServiceSpec> & { by?: string } = {}) {
  const { by = 'v1', ...rest } = more
  const spec = trialSpec({ project, service, deployment: by }, mode, rest)
  await runtime.apply(engine, spec, { signal })
  return spec
}

const watch = (project: string, service: string, deployment = 'v1') =>
  runtime.watch(engine, { project, service }, { deployment, signal, stableMs: 500, deadlineMs: 120_000 })

async function look(project: string, name: string) {
  const { services, held } = await runtime.snapshot(engine, project, { signal })
  const found = services.find(({ service }) => service === name)
  return { found, held: held.filter(({ service }) => service === name), services }
}

const data = (project: string) => [{ name: `${project}-data`, target: '/data', readOnly: false }]

describe.concurrent('a snapshot', { timeout: 180_000 }, () => {
  test('tells the identity, what is claimed and held, and for how long it has been up', async ({ expect }) => {
    const project = newProject()
    const spec = await apply(project, 'db', 'good', { volumes: data(project) })
    expect(await watch(project, 'db')).toMatchObject({ outcome: 'healthy' })
    const first = await look(project, 'db')
    expect(first.found).toMatchObject({
      ...{ deployment: 'v1', specHash: runtime.specHash(spec), up: 1, old: 0, update: 'idle' },
      ...{ wentBackFrom: [], claims: [{ volumes: [{ name: `${project}-data`, subpath: null }], ports: [] }] },
      ...{ restart: null, leaving: false, job: false, done: false, over: false },
    })
    expect(first.held).toMatchObject([{ claims: { volumes: [{ name: `${project}-data` }] } }])
    const upFor = first.found?.upForMs ?? 0
    expect(upFor).toBeGreaterThan(0)
    await until('time to pass on the engine', 60_000, async () => {
      const { found } = await look(project, 'db')
      return (found?.upForMs ?? 0) > upFor
    })
    const { networks } = await runtime.snapshot(engine, project, { signal })
    expect(networks).toEqual([trialNetwork(project)])
  })

  test('of a service that is gone tells what its last container still has, until that has ended', async ({
    expect,
  }) => {
    const project = newProject()
    await apply(project, 'db', 'term-deaf', { volumes: data(project), stopGraceMs: 8000 })
    expect(await watch(project, 'db')).toMatchObject({ outcome: 'healthy' })
    await runtime.remove(engine, { project, service: 'db' }, { signal, deployments: 'any', wait: false })
    const { found, held } = await look(project, 'db')
    expect([found, held.length]).toEqual([undefined, 1])
    await until('its container to end', 60_000, async () => (await look(project, 'db')).held.length === 0)
  })

  test('names what the engine tried and went back from', async ({ expect }) => {
    const project = newProject()
    await apply(project, 'web', 'good')
    expect(await watch(project, 'web')).toMatchObject({ outcome: 'healthy' })
    const bad = await apply(project, 'web', 'exit', { by: 'v2' })
    expect(await watch(project, 'web', 'v2')).toMatchObject({ outcome: 'rolled-back' })
    const { found } = await look(project, 'web')
    expect(found).toMatchObject({ deployment: 'v1', up: 1, update: 'idle' })
    expect(found?.wentBackFrom).toEqual([{ deployment: 'v2', specHash: runtime.specHash(bad) }])
  })

  test('while one spec replaces another says that it moves, and claims what both have', async ({ expect }) => {
    const project = newProject()
    await apply(project, 'web', 'good', { volumes: data(project) })
    expect(await watch(project, 'web')).toMatchObject({ outcome: 'healthy' })
    await apply(project, 'web', 'nolisten', { by: 'v2' })
    const { found } = await look(project, 'web')
    expect(found).toMatchObject({ deployment: 'v2', update: 'moving', up: 0, upForMs: 0 })
    expect(found?.claims.flatMap(({ volumes }) => volumes.map(({ name }) => name))).toEqual([`${project}-data`])
  })

  test('tells the restart that was asked for last', async ({ expect }) => {
    const project = newProject()
    await apply(project, 'web', 'good')
    expect(await watch(project, 'web')).toMatchObject({ outcome: 'healthy' })
    const { generation } = await runtime.restart(engine, { project, service: 'web' }, { signal, token: 'run_1' })
    expect((await look(project, 'web')).found).toMatchObject({ restart: 'run_1', deployment: 'v1' })
    const options = { deployment: 'v1', generation, signal, stableMs: 500, deadlineMs: 120_000 }
    expect(await runtime.watch(engine, { project, service: 'web' }, options)).toMatchObject({ outcome: 'healthy' })
    expect((await look(project, 'web')).found).toMatchObject({ up: 1, old: 0 })
  })

  test('of a job tells whether it has done its work; one that is over claims nothing', async ({ expect }) => {
    const project = newProject()
    const job = { job: true, volumes: data(project), restart: 'never' } as const
    await apply(project, 'migrate', 'good', { ...job, entrypoint: ['node', '-e', 'setTimeout(() => {}, 3000)'] })
    const at = await look(project, 'migrate')
    expect(at.found).toMatchObject({ job: true, done: false, over: false })
    expect(at.found?.claims.flatMap(({ volumes }) => volumes)).toHaveLength(1)
    expect(await watch(project, 'migrate')).toMatchObject({ outcome: 'healthy' })
    expect((await look(project, 'migrate')).found).toMatchObject({ done: true, over: true, claims: [] })
    await apply(project, 'broken', 'good', { ...job, volumes: [], entrypoint: ['node', '-e', 'process.exit(3)'] })
    expect(await watch(project, 'broken')).toMatchObject({ outcome: 'never-came-up' })
    expect((await look(project, 'broken')).found).toMatchObject({ done: false, over: true })
  })

  test('tells that somebody has begun to remove a service', async ({ expect }) => {
    const project = newProject()
    await apply(project, 'web', 'good')
    const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
    const service = await findService(docker, { instance, project, service: 'web' }, signal)
    if (!service) throw new Error('the service is not there')
    const Labels = { ...service.Spec.Labels, [LABEL.leaving]: 'true' }
    await updateService(docker, service, { ...service.Spec, Labels })
    close()
    expect((await look(project, 'web')).found).toMatchObject({ leaving: true })
  })
})

test('of a project that the engine does not know there is nothing', async () => {
  expect(await runtime.snapshot(engine, 'prj_rnothing', { signal })).toEqual({ services: [], held: [], networks: [] })
})
