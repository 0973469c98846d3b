import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lookAgainMs, type Need, needOf, nextRuns, renewalMoment, retryMs, roomFor, type Wanting } from './plan.ts'

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

const counts = (inWindow: number, lately = inWindow, own: [string, number][] = []) => ({
  ...{ inWindow, lately, loud: 0 },
  own: new Map(own),
})
const idle = { all: 0, own: new Map<string, number>() }

describe('the planner', () => {
  const room = (need: Need, quiet = true) =>
    [0, 251, 252, 260, 261, 269, 270, 299, 300].map((inWindow) => roomFor(counts(inWindow, 0), need, quiet))

  test('leaves the last orders of a window to people who ask and to what ends, and of its own some to names that have none', () => {
    expect(room('ending', false)).toEqual([270, 19, 18, 10, 9, 1, 0, 0, 0])
    expect(room('new')).toEqual([261, 10, 9, 1, 0, 0, 0, 0, 0])
    expect(room('renewal')).toEqual([28, 1, 0, 0, 0, 0, 0, 0, 0])
    expect(room('ending')).toEqual([300, 49, 48, 40, 39, 31, 30, 1, 0])
  })

  test('spreads renewals, and lets nobody wait who has no certificate or soon has none', () => {
    expect([0, 27, 28, 100].map((count) => roomFor(counts(count), 'renewal', true))).toEqual([28, 1, 0, 0])
    expect(roomFor(counts(100), 'new', true)).toBe(161)
    const life = { notBefore: new Date(0), notAfter: new Date(90 * DAY) }
    const needs = [0, 74, 76, 91].map((day) => needOf(life, day * DAY))
    expect(needs).toEqual(['renewal', 'renewal', 'ending', 'ending'])
    expect(needOf({ notBefore: null, notAfter: null }, 0)).toBe('new')
  })

  test('sees first to what ends soon, then to names that have none, then to what ends soonest, four at a time', () => {
    const wanting = [5, null, 3, null, 4, 1].map((day, id) => ({
      ...{ id, orgId: 'one', order: true, need: needOf({ notBefore: new Date(-15 * DAY), notAfter: dayOf(day) }, 0) },
      notAfter: dayOf(day),
    }))
    const chosen = (running: number, lately = 0) =>
      nextRuns(wanting, {
        ordered: counts(lately),
        running: { all: running, own: new Map([['one', running]]) },
        alone: true,
      }).map(({ id }) => id)
    expect([chosen(0), chosen(2), chosen(4)]).toEqual([[5, 1, 3, 2], [5, 1], []])
    expect([chosen(0, 28), chosen(0, 259), chosen(0, 299)]).toEqual([[5, 1, 3], [5, 1], [5]])
    const given = { id: 9, orgId: 'one', order: false, need: 'renewal' as const, notAfter: dayOf(9) }
    expect(nextRuns([given], { ordered: counts(300), running: idle, alone: true })).toEqual([given])
    const renewal = { ...given, order: true }
    expect(nextRuns([given, renewal], { ordered: counts(27), running: idle, alone: true })).toEqual([given, renewal])
  })
})

const dayOf = (day: number | null) => (day === null ? null : new Date(day * DAY))

describe('several organizations share what the CA gives', () => {
  /** Plays windows of three hours, in which each run ends at once, and says who got how many orders when. */
  function played(wanting: Wanting[], rounds: number): string[] {
    const orders: Wanting[] = []
    let open = [...wanting]
    for (let round = 0; round < rounds; round++) {
      const own = new Map<string, number>()
      const fresh = new Map<string, number>()
      for (const { orgId, need } of orders) {
        own.set(orgId, (own.get(orgId) ?? 0) + 1)
        if (need === 'new') fresh.set(orgId, (fresh.get(orgId) ?? 0) + 1)
      }
      const loud = [...fresh.values()].reduce((sum, n) => sum + Math.max(0, n - 10), 0)
      const ordered = { inWindow: orders.length, lately: 0, loud, own }
      const next = nextRuns(open, { ordered, running: idle, alone: false })
      orders.push(...next)
      open = open.filter((one) => !next.includes(one))
    }
    return orders.map(({ orgId }) => orgId)
  }
  const names = (orgId: string, count: number, need: Need = 'new', day: number | null = null): Wanting[] =>
    Array.from({ length: count }, () => ({ orgId, need, order: true, notAfter: dayOf(day) }))

  test('a certificate that ends tomorrow is the first of the window, whatever others ask', () => {
    const orders = played([...names('loud', 400), ...names('quiet', 1, 'ending', 1)], 10)
    expect(orders[0]).toBe('quiet')
    const late = nextRuns(names('quiet', 1, 'ending', 1), {
      ordered: { ...counts(270, 270, [['loud', 270]]), loud: 180 },
      running: { all: 4, own: new Map([['loud', 4]]) },
      alone: false,
    })
    expect(late).toHaveLength(1)
  })

  test('also where the other has hundreds that end tomorrow', () => {
    const orders = played([...names('loud', 400, 'ending', 0.5), ...names('quiet', 3, 'ending', 1)], 10)
    expect(orders.slice(0, 6).filter((org) => org === 'quiet')).toHaveLength(3)
  })

  test('new names come in turn, and the orders of a window are never all those of who has hundreds', () => {
    const orders = played([...names('loud', 400), ...names('some', 5), ...names('other', 5)], 200)
    expect(orders.slice(0, 15).filter((org) => org === 'loud')).toHaveLength(5)
    expect(orders.filter((org) => org === 'loud')).toHaveLength(190)
    // Who comes when the window is nearly over still finds room.
    const ordered = { inWindow: 200, lately: 0, loud: 180, own: new Map([['loud', 190]]) }
    const late = nextRuns([...names('loud', 200), ...names('late', 1)], { ordered, running: idle, alone: false })
    expect(late.map(({ orgId }) => orgId)).toEqual(['late'])
  })

  test('whose orders take long holds at most half of the places', () => {
    const running = { all: 2, own: new Map([['slow', 2]]) }
    const next = nextRuns([...names('slow', 9), ...names('other', 1)], { ordered: counts(2), running, alone: false })
    expect(next.map(({ orgId }) => orgId)).toEqual(['other'])
  })

  test('who has the instance for itself has all of it', () => {
    const ordered = { inWindow: 200, lately: 0, loud: 190, own: new Map([['one', 200]]) }
    expect(nextRuns(names('one', 9), { ordered, running: idle, alone: true })).toHaveLength(4)
  })
})
