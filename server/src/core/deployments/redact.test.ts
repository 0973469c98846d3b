import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redactor } from './redact.ts'

const secret = 's3cr3t/with+signs='

test.each([
  ['plain', secret],
  ['base64', Buffer.from(secret).toString('base64')],
  ['base64 of user:password', Buffer.from(`user:${secret}`).toString('base64')],
  ['base64url', Buffer.from(secret).toString('base64url')],
  ['URL-encoded', encodeURIComponent(secret)],
  ['hexadecimal', Buffer.from(secret).toString('hex')],
  ['inside JSON', JSON.stringify({ a: `${secret}"` })],
])('a secret printed %s does not come through', (_, printed) => {
  const shown = redactor([secret])(`before ${printed} after`)
  expect(shown).not.toContain(printed)
  expect(shown.startsWith('before ')).toBe(true)
  expect(shown.endsWith(' after')).toBe(true)
})

test('each line of a key is hidden when it is printed line by line', () => {
  const key = '-----BEGIN KEY-----\nabcdefghijklmnop\nqrstuvwxyz012345\n-----END KEY-----'
  for (const line of key.split('\n')) expect(redactor([key])(`> ${line}`)).toBe('> •••')
})

test('short values hide nothing, and without secrets nothing changes', () => {
  expect(redactor(['1', 'abc'])('1 abc 1')).toBe('1 abc 1')
  expect(redactor([])('text')).toBe('text')
})

test('whatever the secret and the text around it, the secret is gone', () => {
  const word = fc.string({ minLength: 6, maxLength: 40 }).filter((text) => !text.includes('•'))
  fc.assert(
    fc.property(word, fc.string(), fc.string(), (value, before, after) => {
      const shown = redactor([value])(before + value + after)
      return !shown.includes(value)
    }),
  )
})
