import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { knownLinks } from './known-links.ts'

const from = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } }) as unknown as FastifyRequest

test('a credential is known as that of a link for ten minutes after it was found good, and no longer than it is good', () => {
  let now = 0
  const links = knownLinks(() => now)
  const [one, other] = [from('slp_one'), from('slp_other')]
  expect(links.has(one)).toBe(false)
  links.note(one, true)
  expect([links.has(one), links.has(other)]).toEqual([true, false])
  now += 10 * 60_000 - 1
  expect(links.has(one)).toBe(true)
  now += 1
  expect(links.has(one)).toBe(false)
  links.note(one, true)
  links.note(other, true)
  // Revoked, or its approver has left.
  links.note(one, false)
  expect([links.has(one), links.has(other)]).toEqual([false, true])
})
