import { expect, test } from 'vitest'
import { shelf } from './shelf.ts'

const open = (mostBytes: number, atOnce = 10) =>
  shelf<string>({ mostBytes, atOnce, sizeOf: (text) => text.length, keeps: (text) => text !== 'not kept' })

test('a thing is made once, however many ask for it and when', async () => {
  const things = open(100)
  let made = 0
  const make = async () => {
    made++
    return 'thing'
  }
  await Promise.all([things.take('a', make), things.take('a', make)])
  expect(await things.take('a', make)).toBe('thing')
  expect(made).toBe(1)
})

test('what was used longest ago makes room for what is new', async () => {
  const things = open(10)
  const made: string[] = []
  const take = (key: string) =>
    things.take(key, async () => {
      made.push(key)
      return 'four'
    })
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await take(key)
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})

test('what failed, or is not to be kept, is made again', async () => {
  const things = open(10)
  await expect(things.take('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await things.take('a', async () => 'not kept')).toBe('not kept')
  expect(await things.take('a', async () => 'yes')).toBe('yes')
})

test('no more than so many are made at the same time, and all of them in the end', async () => {
  const things = open(1000, 3)
  let now = 0
  let most = 0
  const make = async () => {
    most = Math.max(most, ++now)
    await new Promise((next) => setTimeout(next, 2))
    now--
    return 'x'
  }
  await Promise.all(Array.from({ length: 20 }, (_, n) => things.take(String(n), make)))
  expect([most, now]).toEqual([3, 0])
})
