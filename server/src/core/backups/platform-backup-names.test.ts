import { expect, test } from 'vitest'
import { madeAt, nameAt, superseded } from './platform-backup-names.ts'

const DAY_MS = 24 * 3600_000
/** A Sunday. */
const NOW = new Date('2026-07-05T03:04:05Z')
const daysAgo = (days: number, hours = 0) => nameAt(new Date(NOW.getTime() - days * DAY_MS - hours * 3600_000))
const left = (names: string[], fresh = daysAgo(0)) => {
  const old = superseded(names, fresh)
  return names.filter((name) => !old.includes(name))
}

test('of a backup every night the last seven stay, and the last of each of four weeks', () => {
  const names = Array.from({ length: 60 }, (_, days) => daysAgo(days))
  // This week ends today; of the three before it their Sundays.
  expect(left(names)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 14, 21].map((days) => daysAgo(days)))
})

test('night after night there is never more than eleven, and always one that is two weeks old', () => {
  let names: string[] = []
  for (let days = 100; days >= 0; days--) {
    const fresh = daysAgo(days)
    names = left([...names, fresh], fresh)
    expect(names).toContain(fresh)
    expect(names.length).toBeLessThanOrEqual(11)
    const oldest = Math.min(...names.map((name) => madeAt(name)?.getTime() ?? 0))
    if (days < 70) expect(NOW.getTime() - days * DAY_MS - oldest).toBeGreaterThanOrEqual(14 * DAY_MS)
  }
  expect(names).toHaveLength(10)
})

test('of several on one day the newest stays', () => {
  expect(left([daysAgo(0), daysAgo(0, 1), daysAgo(0, 2), daysAgo(1), daysAgo(1, 2)])).toEqual([daysAgo(0), daysAgo(1)])
})

test('nothing goes because no more came: days without a backup do not count', () => {
  const long = [200, 201, 202, 203, 204, 205].map((days) => daysAgo(days))
  expect(left([daysAgo(0), ...long])).toEqual([daysAgo(0), ...long])
})

test('the one that was just made stays, whatever the clock said before', () => {
  const ahead = Array.from({ length: 40 }, (_, days) => daysAgo(-400 + days))
  expect(left([...ahead, daysAgo(0)])).toContain(daysAgo(0))
})

test('what was not named by us is never chosen', () => {
  const others = [
    'shop.tar',
    '20260101T000000Z.slipway.part',
    '20261301T000000Z.slipway',
    '20260230T000000Z.slipway',
    'x/20260101T000000Z.slipway',
    '2026-01-01T00:00:00Z.slipway',
  ]
  const many = Array.from({ length: 40 }, (_, days) => daysAgo(days))
  for (const name of superseded([...others, ...many], daysAgo(0))) expect(others).not.toContain(name)
})
