import { expect, test } from 'vitest'
import { pollPeriod, type Signs } from './poll-period.ts'

const now = new Date('2026-01-31T12:00:00Z')
const days = (count: number) => new Date(now.getTime() - count * 24 * 3600_000)
const none: Signs = { heardAt: null, hookAt: null, silentAt: null, movedAt: null, now }

test.each<[string, Partial<Signs>, number]>([
  ['nothing was ever told', {}, 60],
  ['its hook tells things', { heardAt: days(0.5) }, 900],
  ['it was told of itself', { hookAt: days(0.5) }, 900],
  ['nothing was told for a day', { heardAt: days(1.1) }, 60],
  ['a move was not told', { heardAt: days(0.1), silentAt: days(0.01) }, 60],
  ['a move was not told, later ones were', { hookAt: days(0.1), silentAt: days(0.2) }, 900],
  ['quiet for a week', { movedAt: days(8) }, 300],
  ['quiet for a month', { movedAt: days(31) }, 1800],
])('the host is asked as often as it must be: %s', (_, signs, seconds) =>
  expect(pollPeriod({ ...none, ...signs })).toBe(seconds),
)
