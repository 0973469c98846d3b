import { describe, expect, test } from 'vitest'
import { trialSpec } from '../../../../../test-kit/runtime.ts'
import type { TaskAnswer } from '../../engine/answers.ts'
import { type ServiceSpec, specHash } from '../rollout/spec.ts'
import { deathRecord } from '../watch/deaths.ts'
import { renderService } from './render.ts'

const names = { project: 'prj_r', service: 'web', deployment: 'd1' }
const bounds = { machineBytes: 1024 ** 3, ceilings: {} }
const rendering = {
  instance: 'i',
  api: 145,
  bounds,
  networks: new Map(),
  health: undefined,
  forceUpdate: 3,
  over: 'running',
} as const
const render = (more: Partial<ServiceSpec> = {}, over: 'running' | 'nothing' | 'rollout' = 'running') =>
  renderService(trialSpec(names, 'good', more), { ...rendering, over })

describe('a rendered spec', () => {
  test('names its owner on the service and on the container, and nobody can claim to be another', () => {
    const { Labels, TaskTemplate } = render({
      labels: { 'slipway.deployment': 'd9', 'com.docker.stack': 'x', mine: '1' },
    })
    const ours = {
      'slipway.instance': 'i',
      'slipway.project': 'prj_r',
      'slipway.service': 'web',
      'slipway.deployment': 'd1',
    }
    expect(Labels).toMatchObject({ ...ours, 'slipway.org': 'org_rtest' })
    expect(TaskTemplate.ContainerSpec?.Labels).toMatchObject({ ...ours, mine: '1' })
    expect(TaskTemplate.ContainerSpec?.Labels).not.toHaveProperty('com.docker.stack')
  })

  test('starts first, unless two could not stand beside each other', () => {
    const volumes = [{ name: 'data', target: '/data', readOnly: false }]
    const orders = (more: Partial<ServiceSpec>) => [
      render(more).UpdateConfig?.Order,
      render(more).RollbackConfig?.Order,
    ]
    expect(orders({})).toEqual(['start-first', 'start-first'])
    expect(orders({ volumes })).toEqual(['stop-first', 'stop-first'])
    expect(orders({ volumes: volumes.map((one) => ({ ...one, readOnly: true })) })).toEqual([
      'start-first',
      'start-first',
    ])
    expect(orders({ ports: [{ target: 53, published: 53, protocol: 'udp' }] })).toEqual(['stop-first', 'stop-first'])
  })

  test('goes back on failure, but never to what it interrupts', () => {
    expect(render().UpdateConfig).toMatchObject({ FailureAction: 'rollback', Monitor: 5_000_000_000 })
    expect(render({}, 'rollout').UpdateConfig).toMatchObject({ FailureAction: 'pause', Order: 'start-first' })
    expect(render({}, 'nothing').UpdateConfig).toMatchObject({ FailureAction: 'rollback', Order: 'stop-first' })
  })

  test('holds variables as they are: the engine would take braces for a template', () => {
    const environment = { A: '{{.Node.ID}}', B: '{{{', C: 'plain }}' }
    const expected = ['A={{"{{"}}.Node.ID}}', 'B={{"{{"}}{', 'C=plain }}']
    expect(render({ environment }).TaskTemplate.ContainerSpec?.Env).toEqual(expect.arrayContaining(expected))
  })

  test('has limits, a log that does not grow, and the generation that runs', () => {
    const { TaskTemplate } = render({ memoryBytes: 64_000_000, cpus: 0.25 })
    expect(TaskTemplate.Resources).toEqual({
      Limits: { MemoryBytes: 64_000_000, NanoCPUs: 250_000_000, Pids: 2048 },
    })
    expect(TaskTemplate.LogDriver?.Options).toHaveProperty('max-size')
    expect(TaskTemplate).toMatchObject({ ForceUpdate: 3, ContainerSpec: { Init: true } })
  })
})

describe('the hash of a spec', () => {
  const spec = trialSpec(names, 'good')
  test('is that of its content, whatever the deployment and the order of writing', () => {
    expect(specHash({ ...spec, deployment: 'd2' })).toBe(specHash(spec))
    expect(specHash(Object.fromEntries(Object.entries(spec).reverse()) as ServiceSpec)).toBe(specHash(spec))
    expect(specHash({ ...spec, environment: { ...spec.environment, A: '1' } })).not.toBe(specHash(spec))
    expect(specHash({ ...spec, command: ['a', 'b'] })).not.toBe(specHash({ ...spec, command: ['b', 'a'] }))
  })
})

describe('deaths', () => {
  const { signal } = new AbortController()
  const { Spec } = { Spec: render() }
  const service = { ID: 's', Version: { Index: 1 }, CreatedAt: '', Spec }
  const dead = (ID: string, Timestamp: string, State = 'failed'): TaskAnswer => {
    const Status = { State, Timestamp }
    return { ID, CreatedAt: Timestamp, ServiceID: 's', DesiredState: 'shutdown', Spec: Spec.TaskTemplate, Status }
  }
  const why = (reason: 'exit' | 'engine-restart') => ({
    reason,
    detail: '',
    taskId: '',
    slot: 1,
    node: '',
    exitCode: 1,
    listening: null,
    lines: [],
  })

  test('count by the clock of the engine, and not for ever', () => {
    const record = deathRecord({ deployment: 'd1', signal })
    const [first, second] = [dead('a', '2001-01-01T00:00:00Z'), dead('b', '2001-01-01T00:10:00Z')]
    expect(record.unexplained(service, [first])).toEqual([first])
    record.note(first, why('exit'))
    expect(record.unexplained(service, [first, second])).toEqual([second])
    record.note(second, why('exit'))
    expect(record.counted()).toHaveLength(2)
    record.unexplained(service, [first, second, dead('c', '2001-01-01T00:20:00Z', 'running')])
    expect(record.counted()).toHaveLength(1)
  })

  test('by an engine restart and before this rollout do not count', () => {
    const record = deathRecord({ deployment: 'd1', signal })
    const task = dead('a', '2001-01-01T00:00:00Z')
    const UpdateStatus = { State: 'updating' as const, StartedAt: '2001-01-01T00:00:01Z' }
    expect(record.unexplained({ ...service, UpdateStatus }, [task])).toEqual([])
    record.note(task, why('engine-restart'))
    expect(record.counted()).toEqual([])
    expect(record.any()).toMatchObject({ reason: 'engine-restart' })
  })
})
