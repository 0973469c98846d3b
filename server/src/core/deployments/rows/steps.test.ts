import type { DeploymentError } from '@slipway/contract/deployment-shape'
import { expect, test } from 'vitest'
import { stepsOf } from './steps.ts'

const AT = '2026-01-01T00:00:00.000Z'
const done = (name: string) => ({ name, startedAt: AT, finishedAt: AT })
const open = (name: string) => ({ name, startedAt: AT, finishedAt: null })
const over = new Date('2026-01-01T00:00:09.000Z')
const error = (step: string | null, service: string | null = null): DeploymentError => ({
  code: 'build_failed',
  message: 'It failed.',
  step,
  service,
  hint: null,
  logSeq: null,
})
const told = (...row: Parameters<typeof stepsOf>) => stepsOf(...row).map(({ name, status }) => [name, status])

test('a step runs only as long as its deployment does', () => {
  const steps = [done('source'), open('build')]
  expect(told({ status: 'building', error: null, finishedAt: null, steps })).toEqual([
    ['source', 'succeeded'],
    ['build', 'running'],
  ])
  expect(stepsOf({ status: 'cancelled', error: null, finishedAt: over, steps })).toMatchObject([
    { status: 'succeeded', finishedAt: AT, error: null },
    { status: 'cancelled', finishedAt: over.toISOString(), error: null },
  ])
})

test('the one that failed says why, and what was given up with it is not blamed', () => {
  const steps = [open('build:web'), open('build:db'), done('source')]
  const failed = stepsOf({ status: 'failed', error: error('build', 'db'), finishedAt: over, steps })
  expect(failed).toMatchObject([
    { status: 'cancelled', error: null },
    { status: 'failed', error: 'It failed.', finishedAt: over.toISOString() },
    { status: 'succeeded' },
  ])
})

test('a failure that names no step is of what was under way', () => {
  const steps = [done('build'), open('rollout')]
  expect(told({ status: 'failed', error: error(null), finishedAt: over, steps })).toEqual([
    ['build', 'succeeded'],
    ['rollout', 'failed'],
  ])
})

test('what was taken back is said to be, once that came to its end', () => {
  const steps = [
    done('build'),
    done('rollout:web'),
    done('undo:rollout:web'),
    done('rollout:db'),
    open('undo:rollout:db'),
  ]
  const shown = stepsOf({ status: 'failed', error: error('route'), finishedAt: over, steps })
  expect(shown.filter(({ undone }) => undone).map(({ name }) => name)).toEqual(['rollout:web'])
})
