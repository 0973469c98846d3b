import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type KeyRing, parseKeyRing } from '../../drivers/crypto/key-ring.ts'
import { placeOf } from './link-store.ts'
import { forgetCredential, openCredential } from './open-credential.ts'

/** A key ring that counts what it opens. */
function counting(): { keys: KeyRing; sealed(orgId: string, text: string): string; count(): number } {
  const ring = parseKeyRing(randomBytes(32).toString('hex'))
  let opened = 0
  const open: KeyRing['open'] = (sealed, place) => {
    opened++
    return ring.open(sealed, place)
  }
  return { keys: { ...ring, open }, sealed: (orgId, text) => ring.seal(text, placeOf(orgId)), count: () => opened }
}

test('the credential of a link is opened once, however often it is used', () => {
  const { keys, sealed, count } = counting()
  const text = sealed('org_a', 'first')
  for (let n = 0; n < 5; n++) expect(openCredential(keys, 'org_a', text)).toBe('first')
  expect(count()).toBe(1)
})

test('a new link counts at once, and one that came back as well', () => {
  const { keys, sealed, count } = counting()
  const [first, second] = [sealed('org_a', 'first'), sealed('org_a', 'second')]
  for (const [text, credential] of [
    [first, 'first'],
    [second, 'second'],
    [first, 'first'],
  ] as const)
    expect(openCredential(keys, 'org_a', text)).toBe(credential)
  forgetCredential(keys, 'org_a')
  openCredential(keys, 'org_a', first)
  expect(count()).toBe(4)
})

test('a text that was copied to another organization does not open there, known or not', () => {
  const { keys, sealed } = counting()
  const text = sealed('org_a', 'first')
  expect(openCredential(keys, 'org_a', text)).toBe('first')
  for (let n = 0; n < 2; n++) expect(() => openCredential(keys, 'org_b', text)).toThrow()
})

test('of many organizations a bounded number is at hand', () => {
  const { keys, sealed, count } = counting()
  const all = Array.from({ length: 101 }, (_, n) => [`org_${n}`, sealed(`org_${n}`, `of ${n}`)] as const)
  for (const [orgId, text] of all) openCredential(keys, orgId, text)
  const [[first, text] = ['', '']] = all
  expect([openCredential(keys, first, text), count()]).toEqual(['of 0', 102])
})
