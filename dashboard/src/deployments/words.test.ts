import { DEPLOYMENT_STATUSES } from '@slipway/contract/deployment-states'
import { expect, test } from 'vitest'
import { headline, STATUS_CHOICES, shown, stepTitle, type Told } from './words.ts'

const told = (more: Partial<Told>): Told => ({
  status: 'ready',
  decision: null,
  active: false,
  waitingOn: null,
  ...more,
})

test('every status of the API has a word of its own', () => {
  expect(STATUS_CHOICES.map(({ value }) => value).toSorted()).toEqual([...DEPLOYMENT_STATUSES].toSorted())
  expect(new Set(STATUS_CHOICES.map(({ label }) => label)).size).toBe(DEPLOYMENT_STATUSES.length)
})

test('amber is shown exactly where a person is needed', () => {
  const unknown = { reason: 'Another engine.', hint: 'Redeploy it.' }
  const asking = [
    told({ status: 'building', waitingOn: { kind: 'prompt', promptId: 'approve_build' } }),
    told({ status: 'partial_failure', decision: 'pending', waitingOn: { kind: 'decision' } }),
    told({ active: true, unknown }),
  ]
  expect(asking.map((one) => shown(one).tone)).toEqual(['ask', 'ask', 'ask'])
  const others = DEPLOYMENT_STATUSES.flatMap((status) => [told({ status }), told({ status, active: true })])
  expect(others.filter((one) => shown(one).tone === 'ask')).toEqual([])
})

test('what serves is called live, whatever it was before; what serves in part says so', () => {
  expect(shown(told({ active: true })).word).toBe('Live')
  expect(shown(told({ status: 'partial_failure', decision: 'kept', active: true })).word).toBe('Live in part')
  expect(shown(told({ status: 'partial_failure', decision: 'kept' })).word).toBe('Kept in part')
})

test('green is for what serves', () => {
  const green = DEPLOYMENT_STATUSES.filter((status) => shown(told({ status })).tone === 'ok')
  expect(green).toEqual([])
  expect(shown(told({ active: true })).tone).toBe('ok')
})

test('a release of which nobody can say that it runs is not called live', () => {
  expect(shown(told({ active: true, unknown: { reason: 'x', hint: 'y' } })).word).toBe('Not known')
})

test('a headline is what somebody said of it, in one line', () => {
  const git = { kind: 'git', commitMessage: 'Fix the cart\n\nLong story' } as const
  expect(headline({ source: git, number: 7, message: null })).toBe('Fix the cart')
  expect(headline({ source: git, number: 7, message: 'Hotfix' })).toBe('Hotfix')
  expect(headline({ source: { kind: 'upload' }, number: 7 })).toBe('Folder upload')
  expect(headline({ source: { kind: 'image', image: 'nginx:1' }, number: 7 })).toBe('nginx:1')
  expect(headline({ source: { kind: 'git' }, number: 7 })).toBe('Deployment 7')
  expect(headline({ source: git, number: 7, rollbackOf: { id: 'dep_x', number: 3 } })).toBe('Back to #3')
})

test('a step of one service says which', () => {
  expect(stepTitle('build:web')).toEqual({ title: 'Build', service: 'web' })
  expect(stepTitle('undo:build:web')).toEqual({ title: 'Undo: build', service: 'web' })
  expect(stepTitle('something-new')).toEqual({ title: 'something-new', service: null })
})
