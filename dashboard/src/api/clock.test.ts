import { afterEach, expect, test } from 'vitest'
import { noteServerTime, serverNow } from './clock.ts'

const MINUTE_MS = 60_000
afterEach(() => noteServerTime(new Date().toUTCString()))

test('a machine whose clock is behind says what the server would say', () => {
  const now = Date.now()
  noteServerTime(new Date(now + 5 * MINUTE_MS).toUTCString(), now)
  expect(Math.abs(serverNow() - Date.now() - 5 * MINUTE_MS)).toBeLessThan(1001)
})

test('a second more or less is no difference, and an answer without a date changes nothing', () => {
  const now = Date.now()
  noteServerTime(new Date(now + 2 * MINUTE_MS).toUTCString(), now)
  noteServerTime(null)
  noteServerTime('yesterday')
  expect(serverNow() - Date.now()).toBeGreaterThan(MINUTE_MS)
  noteServerTime(new Date(now - 1000).toUTCString(), now)
  expect(Math.abs(serverNow() - Date.now())).toBeLessThan(100)
})
