import { expect, test } from 'vitest'
import { linkChecks } from './link-checks.ts'

test('the cloud is asked about a credential once a minute, however many look', async () => {
  let [now, asked] = [0, 0]
  const checks = linkChecks(() => now)
  const ask = async () => `answer ${++asked}`
  const look = () => checks.problemOf('lnk_1', ask)
  expect(await Promise.all([look(), look(), look()])).toEqual(['answer 1', 'answer 1', 'answer 1'])
  now = 59_999
  expect(await look()).toBe('answer 1')
  now = 60_000
  expect(await look()).toBe('answer 2')
  expect(await checks.problemOf('lnk_2', ask)).toBe('answer 3')
})

test('a fault of ours is no answer: the next one asks again', async () => {
  const checks = linkChecks(() => 0)
  await expect(checks.problemOf('lnk_1', () => Promise.reject(new Error('no key')))).rejects.toThrow('no key')
  expect(await checks.problemOf('lnk_1', async () => null)).toBeNull()
})
