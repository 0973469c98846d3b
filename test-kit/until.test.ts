import { expect, test } from 'vitest'
import { until } from './until.ts'

test('until gives the first answer that is neither undefined nor false, null and zero too', async () => {
  const answers = [undefined, false, 0, 1]
  expect(await until('a number', 10_000, () => answers.shift(), { everyMs: 1 })).toBe(0)
  expect(await until('nothing', 10_000, async () => null)).toBeNull()
})

test('until names what did not come, and passes on what its check throws', async () => {
  await expect(until('the moon', 20, () => false, { everyMs: 1 })).rejects.toThrow('the moon: not within 0.02 s')
  await expect(until('the moon', 10_000, () => Promise.reject(new Error('cloudy')))).rejects.toThrow('cloudy')
})
