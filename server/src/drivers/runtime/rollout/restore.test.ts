import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { applyNowhere, trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import type { ServiceAnswer } from '../../engine/answers.ts'
import { callEngine } from '../../engine/ask.ts'
import { connectEngine } from '../../engine/connect.ts'
import { serviceName } from '../labels.ts'
import type { WatchOptions } from './outcome.ts'
import type { ServiceSpec } from './spec.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const instance = 'test-restore'
const runtime = trialRuntime({ instance })
const project = `prj_r${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  runtime.close()
}, 60_000)

type Mode = Parameters<typeof trialSpec>[1]
type More = Partial<ServiceSpec> & { interrupt?: boolean }

function apply(service: string, deployment: string, mode: Mode, { interrupt = false, ...more }: More = {}) {
  return runtime.apply(engine, trialSpec({ project, service, deployment }, mode, more), { signal, interrupt })
}

function watch(service: string, deployment: string, more: Partial<WatchOptions> = {}) {
  const options = { deployment, signal, stableMs: 500, pendingMs: 1500, deadlineMs: 60_000, ...more }
  return runtime.watch(engine, { project, service }, options)
}

async function healthy(service: string, deployment: string, more: Partial<WatchOptions> = {}) {
  expect(await watch(service, deployment, more)).toMatchObject({ outcome: 'healthy', failures: 0 })
}

async function seeded(service: string, more: More = {}) {
  await apply(service, 'v1', 'good', more)
  await healthy(service, 'v1')
  return taskOf(service)
}

async function taskOf(service: string) {
  const tasks = await runtime.tasks(engine, project, { signal })
  return tasks.filter((task) => task.service === service && task.state === 'running').map(({ taskId }) => taskId)
}

describe.concurrent('restoring an older spec', { timeout: 150_000 }, () => {
  test('after the engine went back by itself there is nothing to do', async ({ expect }) => {
    const before = await seeded('back')
    await apply('back', 'v2', 'exit')
    expect(await watch('back', 'v2')).toMatchObject({ outcome: 'rolled-back' })
    expect(await apply('back', 'v1', 'good')).toMatchObject({ did: 'unchanged' })
    await healthy('back', 'v1')
    expect(await taskOf('back')).toEqual(before)
  })

  test('over a rollout that is stuck needs to interrupt, and touches no task that runs', async ({ expect }) => {
    const before = await seeded('stuck')
    await applyNowhere(engine, instance, trialSpec({ project, service: 'stuck', deployment: 'v2' }, 'good'))
    expect(await watch('stuck', 'v2')).toMatchObject({ outcome: 'stuck' })
    await expect(apply('stuck', 'v1', 'good')).rejects.toMatchObject({ code: 'update_running' })
    expect(await apply('stuck', 'v1', 'good', { interrupt: true })).toMatchObject({ did: 'updated' })
    await healthy('stuck', 'v1')
    expect(await taskOf('stuck')).toEqual(before)
  })

  test('after the new version turned out unstable', async ({ expect }) => {
    await seeded('unstable')
    await apply('unstable', 'v2', 'crash', { environment: { CRASH_MS: '2500' }, monitorMs: 300 })
    // On a busy machine it may live longer than it is told to.
    expect(await watch('unstable', 'v2', { stableMs: 30_000 })).toMatchObject({ outcome: 'unstable' })
    expect(await apply('unstable', 'v1', 'good')).toMatchObject({ did: 'updated', previous: { deployment: 'v2' } })
    await healthy('unstable', 'v1')
  })

  test('after the service was removed', async ({ expect }) => {
    await seeded('removed')
    const key = { project, service: 'removed' }
    expect(await runtime.remove(engine, key, { signal, deployments: 'any' })).toEqual({ removed: true })
    expect(await taskOf('removed')).toEqual([])
    expect(await runtime.remove(engine, key, { signal, deployments: 'any' })).toEqual({ removed: false })
    expect(await apply('removed', 'v1', 'good')).toMatchObject({ did: 'created', previous: null })
    await healthy('removed', 'v1')
  })

  test('over two bad ones: the engine never comes back to a bad one, and the good one served all along', async ({
    expect,
  }) => {
    const before = await seeded('twice')
    await apply('twice', 'v2', 'nolisten')
    await apply('twice', 'v3', 'exit', { interrupt: true })
    expect(await watch('twice', 'v3')).toMatchObject({ outcome: 'paused', cause: { reason: 'exit' } })
    await apply('twice', 'v1', 'good', { interrupt: true })
    await healthy('twice', 'v1')
    expect(await taskOf('twice')).toEqual(before)
  })
})

describe.concurrent('repeating', { timeout: 120_000 }, () => {
  test('finds its work done, and still tells what was before', async ({ expect }) => {
    await seeded('repeat')
    expect(await apply('repeat', 'v1', 'good')).toMatchObject({ did: 'unchanged', previous: null })
    const first = await apply('repeat', 'v2', 'good')
    expect(first).toMatchObject({ did: 'updated', previous: { deployment: 'v1' } })
    expect(await apply('repeat', 'v2', 'good')).toEqual({ ...first, did: 'unchanged' })
    await healthy('repeat', 'v2')
    expect(await apply('repeat', 'v2', 'good')).toEqual({ ...first, did: 'unchanged' })
    // The one before counts as running until the engine has heard that it has ended.
    const found = await until('one task', 30_000, async () => {
      const all = await runtime.observe(engine, project, { signal })
      return all.find(({ service, replicas }) => service === 'repeat' && replicas.running < 2)
    })
    const replicas = { wanted: 1, running: 1 }
    expect(found).toMatchObject({ deployment: 'v2', specHash: first.specHash, replicas, updating: false })
  })

  test('after the caller was killed in the middle goes on where it was', async ({ expect }) => {
    const spec = trialSpec({ project, service: 'killed', deployment: 'v1' }, 'good')
    await killedAfterApply(spec)
    expect(await runtime.apply(engine, spec, { signal })).toMatchObject({ did: 'unchanged' })
    await healthy('killed', 'v1')
    expect(await taskOf('killed')).toHaveLength(1)
  })

  test('at the same time creates one service', async ({ expect }) => {
    const both = await Promise.all([1, 2, 3].map(() => apply('race', 'v1', 'good')))
    expect(both.map(({ did }) => did).sort()).toEqual(['created', 'unchanged', 'unchanged'])
    await healthy('race', 'v1')
  })
})

describe.concurrent('a restart', { timeout: 120_000 }, () => {
  const key = (service: string) => ({ project, service })

  test('with the same token is done once, with another again, and never during a rollout', async ({ expect }) => {
    const before = await seeded('again')
    const first = await runtime.restart(engine, key('again'), { signal, token: 'a' })
    expect(first).toEqual({ did: 'restarted', deployment: 'v1', generation: 1 })
    await expect(runtime.restart(engine, key('again'), { signal, token: 'b' })).rejects.toMatchObject({
      code: 'update_running',
    })
    expect(await runtime.restart(engine, key('again'), { signal, token: 'a' })).toEqual({ ...first, did: 'unchanged' })
    await healthy('again', 'v1', { generation: 1 })
    expect(await taskOf('again')).not.toEqual(before)
    // The new generation is still the same spec.
    expect(await apply('again', 'v1', 'good')).toMatchObject({ did: 'unchanged' })
  })

  test('that fails leaves the old task running', async ({ expect }) => {
    // Long enough to come up on a busy machine.
    const dieAfter = Date.now() + 20_000
    const script = `if (Date.now() > ${dieAfter}) process.exit(4); require('http').createServer().listen(8080)`
    const entrypoint = ['node', '-e', script]
    const healthcheck = {
      kind: 'tcp',
      port: 8080,
      intervalMs: 1000,
      timeoutMs: 15_000,
      retries: 3,
      startPeriodMs: 15_000,
    } as const
    const before = await seeded('late', { entrypoint, healthcheck })
    await until('the time of death', 45_000, async () => Date.now() > dieAfter)
    const { generation } = await runtime.restart(engine, key('late'), { signal, token: 'a' })
    expect(await watch('late', 'v1', { generation })).toMatchObject({
      outcome: 'rolled-back',
      cause: { detail: 'code 4' },
    })
    expect(await taskOf('late')).toEqual(before)
  })

  test('of what is not there is refused', async ({ expect }) => {
    const missing = runtime.restart(engine, key('none'), { signal, token: 'a' })
    await expect(missing).rejects.toMatchObject({ code: 'service_missing' })
  })
})

describe.concurrent('what others do to a service', { timeout: 120_000 }, () => {
  test('a change of its labels alone is no rollout', async ({ expect }) => {
    const before = await seeded('labels')
    await rewrite('labels', ({ Spec }) => ({ ...Spec, Labels: { ...Spec.Labels, other: '1' } }))
    await healthy('labels', 'v1')
    expect(await taskOf('labels')).toEqual(before)
  })

  test('one of the same name that is not ours is left alone', async ({ expect }) => {
    await seeded('foreign')
    await rewrite('foreign', ({ Spec }) => ({ ...Spec, Labels: {} }))
    await expect(apply('foreign', 'v2', 'good')).rejects.toMatchObject({ code: 'name_taken' })
    await expect(
      runtime.remove(engine, { project, service: 'foreign' }, { signal, deployments: 'any' }),
    ).rejects.toMatchObject({
      code: 'name_taken',
    })
    const { instance: label, ...names } = { instance: 'slipway.instance', a: 'slipway.project', b: 'slipway.service' }
    const Labels = { [label]: instance, [names.a]: project, [names.b]: 'foreign' }
    await rewrite('foreign', ({ Spec }) => ({ ...Spec, Labels }))
  })

  test('a spec that the engine or we refuse leaves nothing behind', async ({ expect }) => {
    const volumes = [{ name: 'data', target: '/data', readOnly: false }]
    const refused = { code: 'spec_refused' }
    await expect(apply('no', 'v1', 'good', { networks: [{ name: 'prj_rnone', aliases: [] }] })).rejects.toMatchObject(
      refused,
    )
    await expect(apply('no', 'v1', 'good', { volumes, replicas: 2 })).rejects.toMatchObject(refused)
    await expect(
      apply('no', 'v1', 'good', { volumes: [{ name: '/etc', target: '/x', readOnly: true }] }),
    ).rejects.toMatchObject(refused)
    await expect(apply('no', 'v1', 'good', { environment: { 'A=B': '1' } })).rejects.toMatchObject(refused)
    await expect(apply('no', 'v1', 'good', { image: 'Bad Image' })).rejects.toMatchObject(refused)
    await expect(apply('no', 'v1', 'good', { cpus: 1e-10 })).rejects.toMatchObject(refused)
    const found = await runtime.observe(engine, project, { signal })
    expect(found.filter(({ service }) => service === 'no')).toEqual([])
  })
})

/** A change behind our back, as a person at the engine would make it. */
async function rewrite(service: string, change: (found: ServiceAnswer) => object): Promise<void> {
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
  const path = `/services/${serviceName(instance, { project, service })}`
  await until('the change', 45_000, async () => {
    const found = await callEngine<ServiceAnswer>(docker, { path }, signal)
    const request = {
      method: 'POST',
      path: `${path}/update`,
      query: { version: found.Version.Index },
      body: change(found),
    } as const
    return callEngine(docker, request, signal).then(
      () => true,
      () => false,
    )
  })
  close()
}

/** Another process applies the spec, says so, and is killed while it watches. */
function killedAfterApply(spec: ServiceSpec): Promise<void> {
  const script = `
    import { trialRuntime } from ${JSON.stringify(join(import.meta.dirname, '../../../../../test-kit/runtime.ts'))}
    const runtime = trialRuntime({ instance: ${JSON.stringify(instance)} }), spec = ${JSON.stringify(spec)}
    const engine = ${JSON.stringify(engine)}, { signal } = new AbortController()
    await runtime.apply(engine, spec, { signal })
    await runtime.watch(engine, spec, { deployment: spec.deployment, signal, onState: () => console.log('watching') })`
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout.once('data', () => child.kill('SIGKILL'))
    child.once('error', reject)
    child.once('exit', (_, killedBy) => (killedBy === 'SIGKILL' ? resolve() : reject(new Error('It was not killed.'))))
  })
}
