import { expect, test } from 'vitest'
import { linesOfStep, readView } from './view.ts'

test('an address says what is looked at, and what it says wrong is passed over', () => {
  expect(readView({ tab: 'services', step: 'build:web', find: '/a+/', only: '1', line: '81204' })).toEqual({
    tab: 'services',
    step: 'build:web',
    service: undefined,
    find: '/a+/',
    only: '1',
    line: 81_204,
  })
  expect(Object.values(readView({ tab: 'log', line: '-1', only: 'yes', step: 7, find: '' })).filter(Boolean)).toEqual(
    [],
  )
})

test('a step of a service is the lines of that step and service', () => {
  expect(linesOfStep('rollout:web')).toEqual({ steps: { are: ['rollout'] }, service: 'web' })
  expect(linesOfStep(undefined)).toEqual({ steps: null, service: null })
})

test('a build prints under the names of its instructions: its lines are those of no other step', () => {
  const { steps, service } = linesOfStep('build:api')
  expect(service).toBe('api')
  expect(steps).toEqual({ areNot: expect.arrayContaining(['source', 'rollout', 'route']) })
  expect(steps).not.toEqual({ areNot: expect.arrayContaining(['build']) })
})
