import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { breaker } from './breaker.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const EVERY_MS = 3000
const fail = (by: ReturnType<typeof breaker>, whose: string, times = 3) => {
  for (let n = 0; n < times; n++) by.enter(whose)?.failed()
}

test('what one of them runs into closes the way for that one alone, unless the cloud does not answer a probe either', async () => {
  let healthy = true
  const by = breaker({ probe: async () => healthy, told: () => {} })
  fail(by, 'slow')
  expect([by.enter('slow'), by.isAway('slow'), by.isAway('other')]).toEqual([undefined, true, false])
  expect(by.enter('other')).toBeDefined()
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(by.enter('slow')).toBeDefined()
  healthy = false
  fail(by, 'slow')
  expect(by.enter('other')).toBeDefined()
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(by.enter('other')).toBeUndefined()
  healthy = true
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect([by.enter('slow'), by.enter('other')]).not.toContain(undefined)
})

test('what several run into in a row closes it for all at once', () => {
  const by = breaker({ probe: async () => false, told: () => {} })
  for (const whose of ['a', 'b', 'a']) fail(by, whose, 1)
  expect(by.enter('c')).toBeUndefined()
})

test('however long a cloud is away, one timer waits and nothing piles up', async () => {
  const signals: AbortSignal[] = []
  const aborts = vi.spyOn(AbortSignal.prototype, 'addEventListener')
  const by = breaker({
    probe: async (signal) => {
      signals.push(signal)
      return false
    },
    told: () => {},
  })
  fail(by, 'a')
  for (let n = 0; n < 100; n++) {
    by.enter('a')
    await vi.advanceTimersByTimeAsync(EVERY_MS)
  }
  expect(signals.length).toBeGreaterThanOrEqual(90)
  expect(aborts.mock.calls.length).toBe(0)
  for (const signal of signals) expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(vi.getTimerCount()).toBe(1)
  by.close()
  expect(vi.getTimerCount()).toBe(0)
  aborts.mockRestore()
})

test('closed for good, it is not opened by what was still on its way', () => {
  const states: string[] = []
  const by = breaker({ probe: async () => true, told: (state) => states.push(state) })
  const onTheirWay = ['a', 'b', 'c'].map((whose) => by.enter(whose))
  by.close()
  for (const one of onTheirWay) one?.failed()
  expect([states, vi.getTimerCount()]).toEqual([[], 0])
})
