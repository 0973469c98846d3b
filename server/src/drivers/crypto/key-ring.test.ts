import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseKeyRing } from './key-ring.ts'

const key = () => randomBytes(32).toString('hex')
const one = key()
const ring = parseKeyRing(one)
const PLACE = 'variable/var_1/value'

test('what is sealed opens again, whatever it is', () => {
  const opensAgain = (text: string) => ring.open(ring.seal(text, PLACE), PLACE) === text
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), opensAgain))
})

test('the same value never looks the same twice', () => {
  expect(new Set(Array.from({ length: 100 }, () => ring.seal('x', PLACE))).size).toBe(100)
})

test('a value moved to another row does not open', () => {
  expect(() => ring.open(ring.seal('x', PLACE), 'variable/var_2/value')).toThrow()
})

test('a flipped bit anywhere, a shortened tag and a shortened value do not open', () => {
  const sealed = ring.seal('a secret', PLACE)
  const [form, id, payload = ''] = sealed.split('.')
  const bytes = Buffer.from(payload, 'base64url')
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i] = (changed[i] ?? 0) ^ 1
    expect(() => ring.open(`${form}.${id}.${changed.toString('base64url')}`, PLACE)).toThrow()
  }
  for (let length = 0; length < bytes.length; length++) {
    expect(() => ring.open(`${form}.${id}.${bytes.subarray(0, length).toString('base64url')}`, PLACE)).toThrow()
  }
})

test('another character anywhere in the text does not open, also where it would stand for the same bytes', () => {
  const sealed = ring.seal('a secret', PLACE)
  for (let i = 0; i < sealed.length; i++) {
    for (const other of ['A', 'B', '_', '.', '=', ' '].filter((one) => one !== sealed[i]))
      expect(() => ring.open(`${sealed.slice(0, i)}${other}${sealed.slice(i + 1)}`, PLACE)).toThrow()
  }
  for (const longer of [`${sealed}=`, `${sealed}.`, ` ${sealed}`]) expect(() => ring.open(longer, PLACE)).toThrow()
})

test('the first characters of a long value are read from the start of its sealed text', () => {
  const long = 'ä€𝒳 '.repeat(2000)
  const start = ring.seal(long, PLACE).slice(0, 584)
  expect(long.startsWith(ring.peek(start))).toBe(true)
  expect(ring.peek(start).length).toBeGreaterThan(100)
  expect(() => parseKeyRing(key()).peek(start)).toThrow('needs key')
})

test('an older key of the ring still opens; the first one seals; a dropped one is named', () => {
  const two = key()
  const rotated = parseKeyRing(`${two},${one}`)
  const old = ring.seal('x', PLACE)
  expect(rotated.open(old, PLACE)).toBe('x')
  expect(rotated.seal('x', PLACE).split('.')[1]).toBe(rotated.ids[0])
  expect(() => parseKeyRing(two).open(old, PLACE)).toThrow(`needs key ${ring.ids[0]}`)
})

test('keys for other purposes differ from each other and stay the same', () => {
  expect(ring.derive('sessions')).toBe(parseKeyRing(one).derive('sessions'))
  expect(ring.derive('sessions')).not.toBe(ring.derive('webhooks'))
})

describe('a key that someone could guess is refused', () => {
  test.each([
    ['zeros', '0'.repeat(64)],
    ['one repeated byte', 'ab'.repeat(32)],
    ['counting up', Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex')],
    ['counting down', Buffer.from(Array.from({ length: 32 }, (_, i) => 200 - i)).toString('hex')],
    ['a repeated word', 'deadbeef'.repeat(8)],
    ['a repeated half', `${'0123456789abcdef9876543210fedcba'.repeat(2)}`],
    ['plain text', Buffer.from('change-me-change-me-now-please!!').toString('base64')],
  ])('%s', (_, text) => expect(() => parseKeyRing(text)).toThrow('well-known or repeating'))
  test.each([
    ['too short', randomBytes(16).toString('hex')],
    ['too long', randomBytes(48).toString('base64')],
    ['a word', 'secret'],
  ])('%s', (_, text) => expect(() => parseKeyRing(text)).toThrow('must be 32 bytes'))
})
