import { describe, expect, test } from 'vitest'
import type { ServiceAnswer, TaskAnswer, TaskTemplate } from '../../engine/answers.ts'
import { isChanging } from '../rollout/identity.ts'
import { type Look, rolloutJudge } from './judge.ts'

/** What a real engine does too rarely, or only when it is restarted, as looks written by hand. */
const limits = { deployment: 'v2', stableMs: 2000, pendingMs: 1000, mostFailures: 3 }

function template(deployment: string, more: Partial<TaskTemplate> = {}): TaskTemplate {
  const Labels = { 'slipway.deployment': deployment, 'slipway.spec': `hash-${deployment}` }
  return { ContainerSpec: { Image: 'x', Labels }, ForceUpdate: 0, ...more }
}

function service(deployment: string, state?: string, more: Partial<TaskTemplate> = {}): ServiceAnswer {
  return {
    ID: 's',
    Version: { Index: 1 },
    CreatedAt: '',
    Spec: { Name: 's', TaskTemplate: template(deployment, more), Mode: { Replicated: { Replicas: 1 } } },
    ...(state && { UpdateStatus: { State: state as 'updating', StartedAt: '2024-01-01T00:00:00Z', Message: 'words' } }),
  }
}

function task(deployment: string, state: string, more: Partial<TaskAnswer> = {}): TaskAnswer {
  const Status = { State: state, Timestamp: '2024-01-01T00:01:00Z' }
  const DesiredState = state === 'running' || state === 'pending' ? 'running' : 'shutdown'
  const ID = `${deployment}-${state}-${Math.random()}`
  return { ID, CreatedAt: '', ServiceID: 's', Slot: 1, DesiredState, Spec: template(deployment), Status, ...more }
}

const look = (at: number, found: ServiceAnswer, tasks: TaskAnswer[], failed = 0): Look => ({
  service: found,
  tasks,
  failed,
  at,
})

describe('healthy', () => {
  test('only after the whole window, and a disturbance starts it anew', () => {
    const { judge, disturb } = rolloutJudge(limits)
    const good = (at: number) => judge(look(at, service('v2', 'completed'), [task('v2', 'running')]))
    expect([good(0), good(1900)]).toEqual([null, null])
    disturb()
    expect([good(2100), good(4000)]).toEqual([null, null])
    expect(good(4100)).toEqual({ outcome: 'healthy' })
  })

  test('later for one that died once: twice the time that the engine watches', () => {
    const { judge } = rolloutJudge({ deployment: 'v2', pendingMs: 1000, mostFailures: 3 })
    const found = service('v2', 'completed')
    found.Spec.UpdateConfig = { Monitor: 5_000_000_000 } as NonNullable<typeof found.Spec.UpdateConfig>
    const good = (at: number, failed: number) => judge(look(at, found, [task('v2', 'running')], failed))
    expect([good(0, 1), good(9900, 1)]).toEqual([null, null])
    expect(good(10_000, 1)).toEqual({ outcome: 'healthy' })
  })

  test('not while the engine is still updating, nor while an old task is meant to run', () => {
    const { judge } = rolloutJudge(limits)
    const tasks = [task('v2', 'running'), task('v1', 'running')]
    for (const at of [0, 5000]) expect(judge(look(at, service('v2', 'completed'), tasks))).toBeNull()
    for (const at of [6000, 9000]) expect(judge(look(at, service('v2', 'updating'), tasks.slice(0, 1)))).toBeNull()
  })

  test('at once when the engine has finished, if it was so for the window before', () => {
    const { judge } = rolloutJudge(limits)
    const tasks = [task('v2', 'running')]
    for (const at of [0, 5000]) expect(judge(look(at, service('v2', 'updating'), tasks))).toBeNull()
    expect(judge(look(5400, service('v2', 'completed'), tasks))).toEqual({ outcome: 'healthy' })
  })

  test('two tasks in one place are one', () => {
    const { judge } = rolloutJudge({ ...limits, stableMs: 0 })
    const twice = [task('v2', 'running'), task('v2', 'running')]
    expect(judge(look(0, service('v2', 'completed'), twice))).toEqual({ outcome: 'healthy' })
  })

  test('without a window of its own, the monitor period after a create and a second after an update', () => {
    const { stableMs: _, ...own } = limits
    const created = service('v2')
    created.Spec.UpdateConfig = {
      Parallelism: 1,
      Order: 'start-first',
      FailureAction: 'rollback',
      Monitor: 5e9,
      MaxFailureRatio: 0,
    }
    const first = rolloutJudge(own)
    expect([0, 4900, 5000].map((at) => first.judge(look(at, created, [task('v2', 'running')])))).toEqual([
      null,
      null,
      { outcome: 'healthy' },
    ])
    const second = rolloutJudge(own)
    const updated = { ...created, UpdateStatus: { State: 'completed' as const } }
    expect([0, 1000].map((at) => second.judge(look(at, updated, [task('v2', 'running')])))).toEqual([
      null,
      { outcome: 'healthy' },
    ])
  })
})

describe('not healthy', () => {
  test('a pause of the engine is told with its words', () => {
    const { judge } = rolloutJudge(limits)
    expect(judge(look(0, service('v2', 'paused'), []))).toEqual({ outcome: 'paused', message: 'words' })
  })

  test('failures do not count while all runs again: only the next death does', () => {
    const { judge } = rolloutJudge(limits)
    expect(judge(look(0, service('v2', 'completed'), [task('v2', 'running')], 5))).toBeNull()
    expect(judge(look(400, service('v2', 'completed'), [task('v2', 'failed')], 5))).toEqual({ outcome: 'unstable' })
    const strict = rolloutJudge({ ...limits, mostRelapses: 1 }).judge
    expect(strict(look(0, service('v2', 'completed'), [task('v2', 'failed')], 1))).toEqual({ outcome: 'unstable' })
    expect(strict(look(0, service('v2'), [task('v2', 'failed')], 2))).toBeNull()
  })

  test('a rollback counts only when the old version runs again', () => {
    const { judge } = rolloutJudge(limits)
    const found = service('v1', 'rollback_completed')
    expect(judge(look(0, found, [task('v1', 'starting')]))).toBeNull()
    expect(judge(look(400, found, [task('v1', 'running')]))).toMatchObject({ outcome: 'rolled-back', restored: 'v1' })
  })

  test('a restored version that dies three times is a failed rollback, whatever the engine says', () => {
    const { judge } = rolloutJudge(limits)
    const dead = [1, 2, 3].map(() => task('v1', 'failed'))
    expect(judge(look(0, service('v1', 'rollback_completed'), dead))).toMatchObject({ outcome: 'rollback-failed' })
  })

  test('deaths of the old version before the rollback are no relapse', () => {
    const { judge } = rolloutJudge(limits)
    const Status = { State: 'failed', Timestamp: '2023-01-01T00:00:00Z' }
    const dead = [1, 2, 3].map(() => task('v1', 'failed', { Status }))
    expect(judge(look(0, service('v1', 'rollback_started'), dead))).toBeNull()
  })

  test('a restart that the engine took back is rolled back although the deployment is the same', () => {
    const { judge } = rolloutJudge({ ...limits, generation: 4 })
    const found = service('v2', 'rollback_completed', { ForceUpdate: 3 })
    const kept = task('v2', 'running', { Spec: template('v2', { ForceUpdate: 3 }) })
    expect(judge(look(0, found, [kept]))).toMatchObject({ outcome: 'rolled-back', restored: 'v2' })
  })

  test('a version that the engine came back to is judged by its tasks', () => {
    const { judge } = rolloutJudge(limits)
    const found = service('v2', 'rollback_completed')
    expect([0, 2000].map((at) => judge(look(at, found, [task('v2', 'running')])))).toEqual([
      null,
      { outcome: 'healthy' },
    ])
  })
})

describe('whether a rollout is running', () => {
  test('the moment after an update shows by the tasks of the old spec', () => {
    expect(isChanging(service('v2'), [task('v1', 'running')])).toBe(true)
    expect(isChanging(service('v2'), [task('v2', 'running')])).toBe(false)
    expect(isChanging(service('v2'), [task('v2', 'failed')])).toBe(false)
    expect(isChanging(service('v2', 'completed'), [task('v1', 'running')])).toBe(false)
    expect(isChanging(service('v2', 'rollback_started'), [])).toBe(true)
  })

  test('a restart shows by its generation', () => {
    expect(isChanging(service('v2', undefined, { ForceUpdate: 1 }), [task('v2', 'running')])).toBe(true)
  })
})

test('what died once in a way that the next one will, too, is not tried three times', () => {
  const found = service('v2')
  const dead = [task('v2', 'failed'), task('v2', 'starting', { DesiredState: 'running' })]
  expect(rolloutJudge(limits).judge(look(0, found, dead, 1))).toBeNull()
  const seen = { ...look(0, found, dead, 1), hopeless: true }
  expect(rolloutJudge(limits).judge(seen)).toEqual({ outcome: 'never-came-up' })
})

describe('stuck', () => {
  const waiting = (Err: string) => [task('v2', 'pending', { Status: { State: 'pending', Timestamp: '', Err } })]
  const held = waiting('no suitable node (host-mode port already in use on 1 node)')
  const many = service('v2')
  many.Spec.Mode = { Replicated: { Replicas: 2 } }

  test.each([
    ['where no node fits', service('v2'), waiting('no suitable node (scheduling constraints not satisfied)'), 1000],
    ['later where a port is still counted that nobody has', service('v2'), held, 4000],
    ['where two of one service want the same port', many, held, 1000],
  ])('%s', (_, found, tasks, ms) => {
    const { judge } = rolloutJudge(limits)
    expect([judge(look(0, found, tasks)), judge(look(ms, found, tasks))]).toEqual([null, null])
    expect(judge(look(ms + 1, found, tasks))).toMatchObject({ outcome: 'stuck' })
  })
})
