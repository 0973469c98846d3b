import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../../../test-kit/processor.ts'
import { formsOf, linesOf } from './redact/forms.ts'
import { stripControls } from './redact/strip-controls.ts'
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

/** Words of few letters, so that they overlap, contain each other and repeat themselves. */
const letters = fc.constantFrom('a', 'b', 'c', '+', ' ', 'ü', '\n', '"', '€', '/')
const words = fc.array(fc.string({ unit: letters, minLength: 4, maxLength: 120 }), { minLength: 1, maxLength: 5 })
/** Forms of the words and parts of them, with other text and terminal commands in between. */
const texts = (secrets: string[]) =>
  fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: part(secrets) },
        fc.string({ unit: letters, maxLength: 10 }),
        fc.constantFrom('\x1b[31m', '\0', '\r', '\x1b]52;c;eA==\x07', '\u202e'),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join(''))
const part = (secrets: string[]) =>
  fc
    .tuple(fc.constantFrom(...secrets.flatMap((secret) => [...formsOf(secret)])), fc.nat(200), fc.nat(200))
    .map(([form, from, to]) => (from < to ? form.slice(from, to) : form))

test('it masks exactly what a search for every form, window by window, masks', () => {
  const cases = words.chain((secrets) => fc.tuple(fc.constant(secrets), texts(secrets)))
  fc.assert(
    fc.property(cases, ([secrets, text]) => {
      fc.pre(mostPlaces(secrets) <= 4)
      expect(redactor(secrets)(text)).toBe(plainRedactor(secrets)(text))
    }),
    { numRuns: 1000 },
  )
})

describe('a secret is masked though something invisible stands in it', () => {
  const half = secret.length / 2
  test.each([
    ['a colour', `\x1b[1;31m${secret.slice(0, half)}\x1b[0m${secret.slice(half)}`],
    ['a carriage return', `${secret.slice(0, half)}\r${secret.slice(half)}`],
    ['the zeros of UTF-16', [...secret].join('\0')],
    ['a command to the terminal', `${secret.slice(0, half)}\x1b]0;title\x07${secret.slice(half)}`],
    ['a mark without width', `${secret.slice(0, half)}\u200b${secret.slice(half)}`],
  ])('%s', (_, printed) => {
    const shown = redactor([secret])(`before\t${printed} after`)
    expect(shown.replace('\x1b[1;31m', '')).toBe('before\t••• after')
  })
  test('its own line breaks left out', () => {
    expect(redactor(['two lines\nof one secret'])('> two linesof one secret <')).toBe('> ••• <')
  })
})

test.each([47, 64, 76, 200])('a long secret cut into lines of %i is masked in each of them', (width) => {
  const long = Array.from({ length: 40 }, (_, n) => `${n * n * 7919}-${n}`).join('.')
  const redact = redactor([long])
  for (const form of [long, Buffer.from(long).toString('base64'), Buffer.from(long).toString('hex')]) {
    const lines = form.match(new RegExp(`.{${width}}`, 'g')) ?? []
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(redact(`> ${line} <`)).toBe('> ••• <')
  }
})

test('long values and many of them are hidden whole, in good time', async () => {
  const long = Array.from({ length: 20 }, (_, n) => String.fromCharCode(97 + n).repeat(65_536))
  const many = Array.from({ length: 980 }, (_, n) => `secret number ${n} of many`)
  const redact = redactor([...long, ...many])
  expect(redact(`> ${many[979]} <`)).toBe('> ••• <')
  for (const value of long) expect(redact(`> ${value} <`)).not.toContain(value.slice(0, 64))
  const taken = await processorMs(() => {
    for (let n = 0; n < 2000; n++) redact(`line ${n} `.padEnd(200, 'abc '))
  })
  expect(taken).toBeLessThan(2000)
})

describe('a thousand values of 64 KiB', () => {
  const hostile: Record<string, (n: number) => string> = {
    'with equal beginnings': (n) => 'a'.repeat(65_530) + String(n).padStart(6, '0'),
    'with equal ends': (n) => String(n).padStart(6, '0') + 'a'.repeat(65_530),
    'that are all alike': () => 'a'.repeat(65_536),
    'of nothing in common': (n) => randomBytes(49_152).toString('base64').slice(String(n).length) + n,
  }
  test.each(Object.keys(hostile))('%s cost no more than a moment, and none is shown', async (kind) => {
    const secrets = Array.from({ length: 1000 }, (_, n) => flat(hostile[kind]?.(n) ?? ''))
    let redact = redactor([])
    const made = await processorMs(() => {
      redact = redactor(secrets)
    })
    expect(made).toBeLessThan(1000)
    const [first = '', last = ''] = [secrets[0], secrets[999]]
    // As builders cut what they print: none of its parts is shown.
    for (const value of [first, last, ...formsOf(last)]) {
      for (let at = 0; at + 16_384 <= value.length; at += 16_384)
        expect(redact(`> ${value.slice(at, at + 16_384)} <`)).toMatch(/^(?:> )?•••(?: <)?$/)
    }
    const slow = await processorMs(() => {
      for (let n = 0; n < 20; n++) redact(`x${'a'.repeat(31)}`.repeat(500))
    })
    expect(slow).toBeLessThan(2000)
  })
})

test('what is known of a value by its first characters alone is masked with all of its line', () => {
  const redact = redactor([{ head: 'the first characters of a value that is very, very long' }])
  expect(redact('> the first characters of a value that is very, very long indeed <')).toBe('•••')
  expect(redact('> the first characters <')).toBe('> the first characters <')
})

test('ten times the text takes ten times as long, also where all of it looks like a secret', async () => {
  const nested = Array.from({ length: 29 }, (_, n) => 'a'.repeat(4 + n))
  const redact = redactor([...nested, 'a'.repeat(1000), `${'a'.repeat(40)}b`])
  const text = (times: number) => `${'a'.repeat(39)}c`.repeat(times)
  redact(text(1000))
  const taken = async (times: number) => {
    const rounds = await Promise.all([1, 2, 3].map(() => processorMs(() => redact(text(times)))))
    return Math.min(...rounds)
  }
  const [small, large] = [await taken(2500), await taken(25_000)]
  expect(large).toBeLessThan(30 * Math.max(small, 5))
})

test('two values side by side are hidden', () => {
  expect(redactor(['first', 'second'])('firstsecond first second')).toBe('••• ••• •••')
})

/** As V8 would have it after reading it from somewhere, instead of a tree of repetitions. */
const flat = (text: string) => Buffer.from(text).toString()

/** The same by the plainest means: every form and every window of it, at every place of the text. */
function plainRedactor(secrets: string[]): (text: string) => string {
  const forms = formsAndLines(secrets)
  const cover = (text: string): boolean[] => {
    const covered = Array.from({ length: text.length }, () => false)
    for (const form of forms) {
      for (const start of windowsOf(form)) {
        const window = form.slice(start, start + 32)
        for (let at = text.indexOf(window); at >= 0; at = text.indexOf(window, at + 1)) {
          let [from, to] = [0, window.length]
          while (from > -15 && start + from > 0 && at + from > 0 && text[at + from - 1] === form[start + from - 1])
            from--
          while (to < window.length + 15 && at + to < text.length && text[at + to] === form[start + to]) to++
          covered.fill(true, at + from, at + to)
        }
      }
    }
    return covered
  }
  return (text) => {
    const covered = cover(text)
    const visible = stripControls(text)
    if (visible) {
      const seen = cover(visible.text)
      for (let at = 0; at < seen.length; at++) {
        if (seen[at] && !seen[at - 1]) covered.fill(true, visible.origin(at), visible.origin(at) + 1)
        if (seen[at] && seen[at - 1]) covered.fill(true, visible.origin(at - 1), visible.origin(at) + 1)
      }
    }
    let shown = ''
    for (let at = 0; at < text.length; at++) {
      if (!covered[at]) shown += text[at]
      else if (!covered[at - 1]) shown += '•••'
    }
    return shown
  }
}

const formsAndLines = (secrets: string[]) =>
  new Set(secrets.flatMap((secret) => [...formsOf(secret), ...linesOf(secret)]).filter((form) => form.length >= 4))

const windowsOf = (form: string): number[] => {
  const last = Math.max(0, form.length - 32)
  return [...Array.from({ length: Math.ceil(last / 16) }, (_, n) => n * 16), last]
}

/** How often a window stands in all forms together. */
function mostPlaces(secrets: string[]): number {
  const places = new Map<string, number>()
  for (const form of formsAndLines(secrets)) {
    if (form.length <= 32) continue
    for (const start of windowsOf(form)) {
      const window = form.slice(start, start + 32)
      places.set(window, (places.get(window) ?? 0) + 1)
    }
  }
  return Math.max(0, ...places.values())
}
