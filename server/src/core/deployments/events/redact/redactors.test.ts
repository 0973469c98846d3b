import { expect, test } from 'vitest'
import { redactor } from '../redact.ts'
import { redactors } from './redactors.ts'

function counted(options: Parameters<typeof redactors>[0] = {}) {
  const made: string[] = []
  const cache = redactors(options)
  const get = (key: string, bytes = 10) =>
    cache.get(key, async () => {
      made.push(key)
      return Object.assign(redactor([`value ${key}`]), { bytes })
    })
  return { made, get }
}

test('what knows the same is made once, also for two who ask at once', async () => {
  const { made, get } = counted()
  const [one, two] = await Promise.all([get('a'), get('a')])
  expect(one).toBe(two)
  expect(await get('a')).toBe(one)
  expect(made).toEqual(['a'])
  expect(one('it is value a')).toBe('it is •••')
})

test('no more are kept than there is room for, the last used ones longest', async () => {
  const { made, get } = counted({ most: 2 })
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key)
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})

test('large ones take the room of many', async () => {
  const { made, get } = counted({ mostBytes: 100 })
  for (const key of ['a', 'b', 'c']) await get(key, 40)
  await get('b', 40)
  await get('a', 40)
  expect(made).toEqual(['a', 'b', 'c', 'a'])
  await get('huge', 200)
  await get('huge', 200)
  expect(made.filter((key) => key === 'huge')).toHaveLength(2)
})

test('one that nobody used for a while is forgotten', async () => {
  const { made, get } = counted({ idleMs: -1 })
  await get('a')
  await get('a')
  expect(made).toEqual(['a', 'a'])
})

test('one that could not be made is tried again', async () => {
  const cache = redactors()
  await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect((await cache.get('a', async () => redactor(['a secret'])))('a secret')).toBe('•••')
})
