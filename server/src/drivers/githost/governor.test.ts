import { expect, test } from 'vitest'
import { governor } from './governor.ts'

const NOW = 1_800_000_000_000
const quota = (remaining: number, more = {}) => ({
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(NOW / 1000 + 600),
  ...more,
})

function start() {
  const rows = new Map<string, Date>()
  const clock = { now: NOW }
  const blocks = {
    until: async (key: string) => rows.get(key) ?? null,
    set: async (key: string, until: Date) => void rows.set(key, until),
  }
  return { rows, clock, one: governor(blocks, () => clock.now), other: governor(blocks, () => clock.now) }
}
const seen = (status: number, headers: Record<string, string>, message = '') => ({ status, headers, message })

test('retry-after is obeyed by all processes, until it is over and for that source alone', async () => {
  const { one, other, clock } = start()
  expect(await one.learn('a', seen(403, { 'retry-after': '30' }))).toEqual(new Date(NOW + 30_000))
  await expect(other.admit('a', false)).rejects.toMatchObject({
    code: 'busy',
    facts: { retryAt: new Date(NOW + 30_000) },
  })
  await other.admit('b', false)
  clock.now += 30_001
  await other.admit('a', false)
})

test('at zero the reset is waited for', async () => {
  const { one } = start()
  expect(await one.learn('a', seen(403, quota(0)))).toEqual(new Date(NOW + 600_000))
  await expect(one.admit('a', false)).rejects.toMatchObject({ code: 'busy' })
})

test('a limit that says nothing more is waited out for a minute, then two, then four', async () => {
  const { one } = start()
  const waits = []
  for (let n = 0; n < 3; n++) {
    const until = await one.learn('a', seen(403, {}, 'You have exceeded a secondary rate limit.'))
    waits.push((until?.getTime() ?? 0) - NOW)
  }
  expect(waits).toEqual([60_000, 120_000, 240_000])
})

test('work that nobody waits for leaves a fifth to people, who go on to the end', async () => {
  const { one, clock } = start()
  await one.learn('a', seen(200, quota(999)))
  await expect(one.admit('a', true)).rejects.toMatchObject({ code: 'busy' })
  await one.admit('a', false)
  await one.learn('a', seen(200, quota(1000)))
  await one.admit('a', true)
  await one.learn('a', seen(200, quota(1)))
  clock.now += 600_001
  await one.admit('a', true)
})

test('a 403 that is no limit blocks nobody', async () => {
  const { one } = start()
  expect(await one.learn('a', seen(403, quota(4000), 'Resource not accessible by integration'))).toBe(null)
  await one.admit('a', true)
})
