import { describe, expect, test } from 'vitest'
import { eachFairly, fairShare, interleaved } from './fair-share.ts'

type Row = { orgId: string; n: number }
const rows = (orgId: string, count: number): Row[] => Array.from({ length: count }, (_, n) => ({ orgId, n }))
const count = (all: Row[], orgId: string) => all.filter((row) => row.orgId === orgId).length

describe('of a queue that everybody shares', () => {
  const from = (queue: Row[]) => {
    let asked = 0
    const fetch = async (most: number, except: string[]) => {
      asked++
      return queue.filter(({ orgId }) => !except.includes(orgId)).slice(0, most)
    }
    return { fetch, asked: () => asked }
  }

  test('all of it comes while it is short, with one question', async () => {
    const { fetch, asked } = from([...rows('a', 30), ...rows('b', 2)])
    expect(await fairShare({ most: 50, share: 5 }, fetch)).toHaveLength(32)
    expect(asked()).toBe(1)
  })

  test('whoever fills it leaves room to all that come behind, and uses what they leave', async () => {
    const { fetch } = from([...rows('a', 1000), ...rows('b', 700), ...rows('c', 3), ...rows('d', 1)])
    const taken = await fairShare({ most: 50, share: 5 }, fetch)
    expect(taken).toHaveLength(50)
    expect([count(taken, 'c'), count(taken, 'd')]).toEqual([3, 1])
    expect(count(taken, 'a') - count(taken, 'b')).toBeLessThanOrEqual(1)
    expect(taken.slice(0, 4).map(({ orgId }) => orgId)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('the questions are few, however many fill it', async () => {
    const { fetch, asked } = from(Array.from({ length: 30 }, (_, n) => rows(`org${n}`, 100)).flat())
    const taken = await fairShare({ most: 100, share: 5 }, fetch)
    expect(taken).toHaveLength(100)
    expect(new Set(taken.map(({ orgId }) => orgId)).size).toBeGreaterThan(4)
    expect(asked()).toBeLessThanOrEqual(6)
  })
})

test('organizations come in turn, each in its own order', () => {
  const mixed = interleaved([...rows('a', 3), ...rows('b', 1), ...rows('c', 2)])
  expect(mixed.map(({ orgId, n }) => `${orgId}${n}`)).toEqual(['a0', 'b0', 'c0', 'a1', 'c1', 'a2'])
})

describe('work for each', () => {
  const signal = new AbortController().signal

  test('is done for all of them, with no more of one organization at once than its share', async () => {
    const busy = new Map<string, number>()
    let [most, mostAll] = [0, 0]
    const done: string[] = []
    await eachFairly([...rows('a', 40), ...rows('b', 40)], { atOnce: 8, perOrg: 2, signal }, async ({ orgId, n }) => {
      busy.set(orgId, (busy.get(orgId) ?? 0) + 1)
      most = Math.max(most, busy.get(orgId) ?? 0)
      mostAll = Math.max(
        mostAll,
        [...busy.values()].reduce((sum, one) => sum + one, 0),
      )
      await new Promise((go) => setImmediate(go))
      busy.set(orgId, (busy.get(orgId) ?? 0) - 1)
      done.push(`${orgId}${n}`)
    })
    // The last ones of one organization have all the room.
    expect(most).toBeLessThanOrEqual(8)
    expect(mostAll).toBeLessThanOrEqual(8)
    expect(new Set(done).size).toBe(80)
  })

  test('of one organization alone has all the room, and beside others its share', async () => {
    const most = async (items: Row[], orgId: string) => {
      let [now, peak] = [0, 0]
      const held = Promise.withResolvers<void>()
      const all = eachFairly(items, { atOnce: 8, perOrg: 2, signal }, async (item) => {
        if (item.orgId !== orgId) return held.promise
        peak = Math.max(peak, ++now)
        await new Promise((go) => setImmediate(go))
        now--
        if (item.n === 19) held.resolve()
      })
      await all
      return peak
    }
    expect(await most(rows('a', 20), 'a')).toBe(8)
    expect(await most([...rows('a', 20), ...rows('b', 1)], 'a')).toBe(2)
  })

  test('of one organization that never ends does not keep the others from theirs', async () => {
    const done: string[] = []
    const stuck = Promise.withResolvers<void>()
    const items = [...rows('stuck', 100), ...rows('b', 5), ...rows('c', 5)]
    const all = eachFairly(items, { atOnce: 4, perOrg: 2, signal }, async ({ orgId }) => {
      if (orgId === 'stuck') await stuck.promise
      else done.push(orgId)
    })
    await expect.poll(() => done.length).toBe(10)
    stuck.resolve()
    await all
  })

  test('ends with the first that throws, and begins nothing more once it was aborted', async () => {
    const throwing = eachFairly(rows('a', 2), { atOnce: 1, perOrg: 1, signal }, () => Promise.reject(new Error('no')))
    await expect(throwing).rejects.toThrow('no')
    const stop = new AbortController()
    let begun = 0
    await eachFairly(rows('a', 9), { atOnce: 1, perOrg: 1, signal: stop.signal }, async () => {
      if (++begun === 2) stop.abort()
    })
    expect(begun).toBe(2)
  })

  test('of pages no more are read than are needed, and one that has many of them holds up nobody', async () => {
    const all = [...rows('a', 60), ...rows('b', 3), ...rows('c', 3), ...rows('d', 3), ...rows('e', 30)]
    let read = 0
    const pages = async (after: Row | null) => {
      const from = after === null ? 0 : all.indexOf(after) + 1
      read = from + 10
      return all.slice(from, read)
    }
    const held = Promise.withResolvers<void>()
    const done: string[] = []
    const ended = eachFairly(pages, { atOnce: 4, perOrg: 1, signal }, async ({ orgId, n }) => {
      if (orgId === 'a' && n === 0) await held.promise
      done.push(`${orgId}${n}`)
    })
    await expect.poll(() => done.length).toBe(all.length - 1)
    held.resolve()
    await ended
    expect(new Set(done).size).toBe(all.length)

    const stop = new AbortController()
    read = 0
    await eachFairly(pages, { atOnce: 1, perOrg: 1, signal: stop.signal }, async () => stop.abort())
    expect(read).toBe(10)
  })
})
