import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPressing, lookAgainMs, nextRuns, renewalMoment, retryMs, roomFor } from './plan.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const lifetime = (days: number, host = 'a.test') => ({
  host,
  serial: '01',
  notBefore: new Date(0),
  notAfter: new Date(days * DAY),
})

describe('the renewal', () => {
  test('of any certificate comes when a third of its life is left, or up to a tenth earlier', () => {
    const inTime = (days: number, host: string) => {
      const at = renewalMoment(lifetime(days, host)).getTime() / (days * DAY)
      return at >= 2 / 3 - 1 / 10 - 1e-9 && at <= 2 / 3 + 1e-9
    }
    fc.assert(fc.property(fc.integer({ min: 1, max: 400 }), fc.string(), inTime))
  })

  test('of the same certificate is the same moment, whoever asks', () => {
    expect(renewalMoment(lifetime(90))).toEqual(renewalMoment(lifetime(90)))
  })

  test('of ten thousand that were issued together is spread over nine days', () => {
    const days = Array.from({ length: 10_000 }, (_, n) => renewalMoment(lifetime(90, `n${n}.test`)).getTime() / DAY)
    const perDay = Array.from({ length: 9 }, (_, n) => days.filter((day) => Math.floor(day - 51) === n).length)
    expect(Math.max(...perDay) / Math.min(...perDay)).toBeLessThan(1.3)
  })

  test('is in the window that the CA suggests', () => {
    const window = { from: new Date(5 * DAY), to: new Date(6 * DAY) }
    const at = renewalMoment(lifetime(90), window).getTime()
    expect(at).toBeGreaterThanOrEqual(5 * DAY)
    expect(at).toBeLessThanOrEqual(6 * DAY)
  })
})

describe('after a failure', () => {
  test('each wait is longer than the last, up to a limit', () => {
    const waits = Array.from({ length: 30 }, (_, n) => retryMs('ca_failed', n + 1, 0.5))
    expect(waits.toSorted((a, b) => a - b)).toEqual(waits)
    expect(waits[0]).toBe(60_000)
    expect(waits.at(-1)).toBe(HOUR)
  })

  test('a name is not proved more often than a CA allows: five times in an hour', () => {
    const first = Array.from({ length: 5 }, (_, n) => retryMs('challenge_failed', n + 1, 0))
    expect(first.slice(0, 4).reduce((sum, one) => sum + one, 0)).toBeGreaterThan(HOUR)
  })
})

test('a name that was set a moment ago is looked at every 2 s, one that waits for days every 10 minutes', () => {
  expect([0, 30 * 60_000, 2 * HOUR, 3 * DAY].map(lookAgainMs)).toEqual([2000, 2000, 60_000, 600_000])
})

describe('the planner', () => {
  const room = (pressing: boolean) => (inWindow: number) => roomFor({ inWindow, lately: 0 }, pressing)

  test('leaves the last orders of a window to people who ask, and of its own some to names that have none yet', () => {
    expect([0, 269, 270, 400].map(room(true))).toEqual([270, 1, 0, 0])
    expect([0, 251, 252, 270].map(room(false))).toEqual([28, 1, 0, 0])
  })

  test('spreads renewals, and lets nobody wait who has no certificate or soon has none', () => {
    const lately = (count: number) => ({ inWindow: count, lately: count })
    expect([0, 27, 28, 100].map((count) => roomFor(lately(count), false))).toEqual([28, 1, 0, 0])
    expect(roomFor(lately(100), true)).toBe(170)
    const life = { notBefore: new Date(0), notAfter: new Date(90 * DAY) }
    expect([0, 74, 76, 91].map((day) => isPressing(life, day * DAY))).toEqual([false, false, true, true])
    expect(isPressing({ notBefore: null, notAfter: null }, 0)).toBe(true)
  })

  test('sees first to names that have none, then to what ends soonest, four at a time', () => {
    const wanting = [5, null, 3, null, 4].map((day, id) => ({
      ...{ id, order: true, pressing: day === null },
      notAfter: day === null ? null : new Date(day * DAY),
    }))
    const chosen = (running: number, lately = 0) =>
      nextRuns(wanting, { inWindow: lately, lately }, running).map(({ id }) => id)
    expect([chosen(0), chosen(2), chosen(4)]).toEqual([[1, 3, 2, 4], [1, 3], []])
    expect([chosen(0, 25), chosen(0, 28), chosen(0, 269), chosen(0, 270)]).toEqual([[1, 3, 2], [1, 3], [1], []])
    const given = { id: 9, order: false, pressing: false, notAfter: new Date(9 * DAY) }
    expect(nextRuns([...wanting, given], { inWindow: 300, lately: 300 }, 0)).toEqual([given])
    const first = { ...given, notAfter: new Date(DAY) }
    const renewal = { ...given, order: true }
    expect(nextRuns([first, renewal], { inWindow: 27, lately: 27 }, 0)).toEqual([first, renewal])
  })
})
