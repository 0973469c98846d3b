import { expect, test } from 'vitest'
import { batches } from './batches.ts'

const ids = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `${n}` }))
const answered = (asked: { id: string }[]) => new Map(asked.map(({ id }) => [id, `answer ${id}`]))

test('what is asked at one moment is asked once, and what comes meanwhile with the next one', async () => {
  const asked: number[] = []
  const ask = batches(1000, async (some: { id: string }[]) => {
    asked.push(some.length)
    await new Promise((done) => setImmediate(done))
    return answered(some)
  })
  const first = ids(50).map(ask)
  await Promise.resolve()
  await Promise.resolve()
  const second = ids(70).map(ask)
  expect(await Promise.all([...first, ...second])).toEqual([...ids(50), ...ids(70)].map(({ id }) => `answer ${id}`))
  expect(asked).toEqual([50, 70])
})

test('a batch has no more than the most, and one question about each id', async () => {
  const asked: string[][] = []
  const ask = batches(3, async (some: { id: string }[]) => {
    asked.push(some.map(({ id }) => id))
    return answered(some)
  })
  await Promise.all(['a', 'b', 'a', 'c', 'd'].map((id) => ask({ id })))
  expect(asked).toEqual([
    ['a', 'b', 'c'],
    ['a', 'd'],
  ])
})

test('who asks about what is not there hears so, and a failure reaches all of its batch and nobody else', async () => {
  let fails = true
  const ask = batches(10, async (some: { id: string }[]) => {
    if (fails) throw new Error('not now')
    return answered(some.filter(({ id }) => id !== '0'))
  })
  const failed = await Promise.allSettled(ids(2).map(ask))
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await Promise.all(ids(2).map(ask))).toEqual([undefined, 'answer 1'])
})
