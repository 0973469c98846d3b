import fc from 'fast-check'
import { expect, test } from 'vitest'
import { processorMs } from '../../../test/processor.ts'
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
  const everyday = 'listening on 0.0.0.0:3000 in production'
  expect(redactor(['0.0.0.0', '3000', 'production', 'true'])(everyday)).toBe(everyday)
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

test('long values and many of them are hidden whole, in good time', async () => {
  const long = Array.from({ length: 20 }, (_, n) => String.fromCharCode(97 + n).repeat(65_536))
  const many = Array.from({ length: 980 }, (_, n) => `secret number ${n} of many`)
  const redact = redactor([...long, ...many])
  for (const value of [long[0] ?? '', many[979] ?? '']) expect(redact(`> ${value} <`)).toBe('> ••• <')
  const taken = await processorMs(() => {
    for (let n = 0; n < 2000; n++) redact(`line ${n} `.padEnd(200, 'abc '))
  })
  expect(taken).toBeLessThan(2000)
})

test('two values side by side are hidden', () => {
  expect(redactor(['first', 'second'])('firstsecond first second')).toBe('••• ••• •••')
})
