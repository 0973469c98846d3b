import { randomBytes } from 'node:crypto'
import { afterAll, describe, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import { projectVolume } from '../labels.ts'
import type { WatchOptions } from './outcome.ts'
import type { ServiceSpec } from './spec.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const runtime = trialRuntime({ instance: 'test-jobs' })
const project = `prj_j${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()
const counter = projectVolume(project, 'counter')

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  await until(
    'its containers to be gone',
    45_000,
    async () => (await runtime.removeEnded(engine, project, { signal })).alive === 0,
  )
  for (const { name } of await runtime.volumes.list(engine, project, { signal })) {
    await runtime.volumes.remove(engine, project, name, { signal })
  }
  runtime.close()
}, 60_000)

type Mode = Parameters<typeof trialSpec>[1]

function job(service: string, deployment: string, script: string, more: Partial<ServiceSpec> = {}): ServiceSpec {
  const own = { entrypoint: ['node', '-e', script], job: true, restart: 'never' as const }
  return trialSpec({ project, service, deployment }, 'good', { ...own, ...more })
}
const apply = (spec: ServiceSpec, interrupt = false) => runtime.apply(engine, spec, { signal, interrupt })
const watch = (spec: ServiceSpec, more: Partial<WatchOptions> = {}) =>
  runtime.watch(engine, spec, { deployment: spec.deployment, signal, deadlineMs: 90_000, ...more })
const tasks = async (service: string) =>
  (await runtime.tasks(engine, project, { signal })).filter((task) => task.service === service)

describe.concurrent('a job', { timeout: 150_000 }, () => {
  test('runs once for each deployment, and again for one that is restored', async ({ expect }) => {
    const script = `console.log('migrated'); setTimeout(() => {}, 4000)`
    const spec = job('once', 'v1', script)
    const first = await apply(spec)
    expect(first).toMatchObject({ did: 'created', previous: null })
    const options = { deployment: 'v1', specHash: first.specHash, signal, deadlineMs: 200 }
    expect(await runtime.serving(engine, spec, options)).toBe(false)
    expect(await apply(spec)).toMatchObject({ did: 'unchanged' })
    await until('it runs', 45_000, async () => (await tasks('once')).some(({ state }) => state === 'running'))
    const observed = async () =>
      (await runtime.observe(engine, project, { signal })).find(({ service }) => service === 'once')
    expect(await observed()).toMatchObject({ job: true, deployment: 'v1', replicas: { running: 1 } })
    expect(await watch(spec, { specHash: first.specHash })).toMatchObject({ outcome: 'healthy', failures: 0 })
    expect(await runtime.serving(engine, spec, { ...options, deadlineMs: 20_000 })).toBe(true)
    expect(await apply(spec)).toMatchObject({ did: 'unchanged' })
    expect(await tasks('once')).toEqual([])
    expect(await observed()).toMatchObject({ replicas: { running: 0 } })

    const next = { ...spec, deployment: 'v2' }
    expect(await apply(next)).toMatchObject({ did: 'created', previous: { deployment: 'v1' } })
    expect(await watch(next)).toMatchObject({ outcome: 'healthy' })
    // What it did for v1 the first time does not count.
    await apply(spec, true)
    expect(await runtime.serving(engine, spec, options)).toBe(false)
    expect(await watch(spec)).toMatchObject({ outcome: 'healthy' })
  })

  test('that fails is told with its cause, and is not tried again', async ({ expect }) => {
    const spec = job('bad', 'v1', `console.error('no such table'); process.exit(3)`)
    await apply(spec)
    const outcome = await watch(spec)
    expect(outcome).toMatchObject({
      outcome: 'never-came-up',
      failures: 1,
      cause: { reason: 'exit', detail: 'code 3' },
    })
    expect(outcome.cause?.lines.join()).toContain('no such table')
    expect(await apply(spec)).toMatchObject({ did: 'unchanged' })
    expect(await watch(spec)).toMatchObject({ outcome: 'never-came-up' })
  })

  test('that cannot start is told so', async ({ expect }) => {
    const spec = { ...job('none', 'v1', ''), entrypoint: ['/no/such/program'], init: false }
    await apply(spec)
    expect(await watch(spec)).toMatchObject({ outcome: 'never-came-up', cause: { reason: 'cannot-start' } })
  })

  test('is tried again as often as said', async ({ expect }) => {
    const restart = { restart: 'on-failure' as const, restartPolicy: { delayMs: 200, maxAttempts: 1 } }
    const lost = job('lost', 'v1', 'process.exit(4)', restart)
    await apply(lost)
    expect(await watch(lost)).toMatchObject({ outcome: 'never-came-up', failures: 2, cause: { detail: 'code 4' } })

    const script = `const fs = require('fs'), path = '/count/n'; const n = fs.existsSync(path) ? 1 : 0; fs.writeFileSync(path, ''); process.exit(n ? 0 : 5)`
    const volumes = [{ name: counter, key: 'counter', target: '/count', readOnly: false }]
    const saved = job('saved', 'v1', script, { ...restart, volumes })
    await apply(saved)
    expect(await watch(saved)).toMatchObject({ outcome: 'healthy', failures: 1, cause: null })
    expect(await runtime.volumes.list(engine, project, { signal })).toMatchObject([{ name: counter, key: 'counter' }])
  })

  test('that still runs for an earlier deployment ends before the next one starts', async ({ expect }) => {
    const spec = job('long', 'v1', 'setTimeout(() => {}, 60_000)', { stopGraceMs: 1000 })
    await apply(spec)
    await until('it runs', 45_000, async () => (await tasks('long')).some(({ state }) => state === 'running'))
    const next = { ...spec, deployment: 'v2' }
    expect(await apply(next)).toMatchObject({ did: 'created', previous: { deployment: 'v1' } })
    const left = await tasks('long')
    expect(left.map(({ deployment }) => deployment)).not.toContain('v1')
    expect(await watch(spec)).toMatchObject({ outcome: 'superseded' })
    expect(await watch(next, { deadlineMs: 1000 })).toMatchObject({ outcome: 'stuck' })
  })

  test('can become a service and be one again', async ({ expect }) => {
    const spec = job('both', 'v1', '')
    await apply(spec)
    expect(await watch(spec)).toMatchObject({ outcome: 'healthy' })
    const service = trialSpec({ project, service: 'both', deployment: 'v2' }, 'good', { monitorMs: 500 })
    expect(await apply(service)).toMatchObject({ did: 'created', previous: { deployment: 'v1' } })
    expect(await watch(service, { stableMs: 100 })).toMatchObject({ outcome: 'healthy' })
    const guard = () => Promise.reject(new Error('another owner has it'))
    await expect(runtime.apply(engine, spec, { signal, guard })).rejects.toThrow('another owner')
    expect((await tasks('both')).map(({ deployment }) => deployment)).toEqual(['v2'])
    expect(await apply({ ...spec, deployment: 'v3' })).toMatchObject({ did: 'created' })
    expect(await watch({ ...spec, deployment: 'v3' })).toMatchObject({ outcome: 'healthy' })
  })
})

describe.concurrent('a service that may end', { timeout: 120_000 }, () => {
  const ending = (service: string, deployment: string, mode: Mode, more: Partial<ServiceSpec> = {}) => {
    const healthcheck = { ...trialSpec({ project, service, deployment }, mode).healthcheck, kind: 'none' as const }
    const own = { restart: 'on-failure' as const, mayEnd: true, healthcheck, monitorMs: 1500 }
    return trialSpec({ project, service, deployment }, mode, { ...own, ...more })
  }

  test('is healthy when it has, after a create and after an update', async ({ expect }) => {
    const spec = ending('ends', 'v1', 'done')
    const { specHash } = await apply(spec)
    expect(await watch(spec)).toMatchObject({ outcome: 'healthy', failures: 0 })
    const serving = { deployment: 'v1', specHash, signal, deadlineMs: 20_000 }
    expect(await runtime.serving(engine, spec, serving)).toBe(true)
    const next = ending('ends', 'v2', 'done')
    expect(await apply(next)).toMatchObject({ did: 'updated' })
    expect(await watch(next)).toMatchObject({ outcome: 'healthy', failures: 0 })
  })

  test('has failed when it ends with an error, and when a failed check ends it', async ({ expect }) => {
    const bad = ending('errs', 'v1', 'exit', { restart: 'never' })
    await apply(bad)
    expect(await watch(bad)).toMatchObject({ outcome: 'never-came-up', cause: { detail: 'code 3' } })
    const { healthcheck } = trialSpec({ project, service: 'sick', deployment: 'v1' }, 'sick')
    const sick = ending('sick', 'v1', 'sick', { healthcheck })
    await apply(sick)
    expect(await watch(sick)).toMatchObject({ outcome: 'never-came-up', cause: { reason: 'health-check' } })
  })
})
