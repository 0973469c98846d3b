import { expect, test } from 'vitest'
import type { RunningTask } from '../../../drivers/runtime/running/tasks.ts'
import { troubleOf } from './inspect-release.ts'

const task = (more: Partial<RunningTask>) =>
  ({ service: 'web', restarts: 0, state: 'running', health: 'healthy', error: null, ...more }) as RunningTask

test('a release that runs is left alone, also after one death', () => {
  expect(troubleOf([task({}), task({ restarts: 1 })], 2)).toBeUndefined()
  expect(troubleOf([], 2)).toBeUndefined()
})

test.each<[string, Partial<RunningTask>]>([
  ['dies again and again', { restarts: 2 }],
  ['died and is not back', { restarts: 1, state: 'starting', health: null }],
  ['died and is not well', { restarts: 1, health: 'unhealthy' }],
])('one that %s is told with its service', (_, more) => {
  expect(troubleOf([task({}), task({ service: 'api', ...more })], 2)).toMatchObject({ service: 'api' })
})

test('a container that starts for the first time is no trouble', () => {
  expect(troubleOf([task({ state: 'starting', health: 'starting' })], 2)).toBeUndefined()
})

test('one death while its engine was away is forgiven, a second is not', () => {
  const back = task({ restarts: 1, state: 'starting', health: null })
  expect(troubleOf([back], 2, 1)).toBeUndefined()
  expect(troubleOf([{ ...back, restarts: 2 }], 2, 1)).toMatchObject({ service: 'web' })
})
