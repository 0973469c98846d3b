import fc from 'fast-check'
import { expect, test } from 'vitest'
import { serverOf, spell } from './exchange.ts'
import { judge, parseTsigKey, sign } from './tsig.ts'
import { nameBytes, query, readMessage, readName, TYPE, update } from './wire.ts'

const key = { name: 'k', algorithm: 'hmac-sha256' as const, secret: 'c2VjcmV0' }
const now = new Date()

test('a name is read as it was written', () => {
  fc.assert(
    fc.property(fc.domain(), (name) => {
      expect(readName(nameBytes(name), 0)).toEqual({ name: name.toLowerCase(), end: nameBytes(name).length })
    }),
  )
  expect(readName(nameBytes('.'), 0).name).toBe('')
  for (const none of ['a..b', `${'x'.repeat(64)}.test`, `${'x.'.repeat(128)}test`])
    expect(() => nameBytes(none)).toThrow(RangeError)
})

test('whatever a server answers is read, or is no message; it never takes long', () => {
  const { bytes } = sign(update(7, { zone: 'a.test', name: 'b.a.test', value: 'v', ttl: 60 }), key, now)
  const broken = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 6 }).map((changes) => {
    const copy = Buffer.from(bytes)
    for (const [at, value] of changes) copy[at] = value
    return copy
  })
  const anything = fc.uint8Array({ maxLength: 200 }).map((all) => Buffer.from(all))
  fc.assert(
    fc.property(fc.oneof(broken, anything), (answer) => {
      try {
        const verdict = judge(readMessage(answer), key, { mac: Buffer.alloc(32), now })
        expect(verdict.kind).not.toBe('genuine')
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }),
    { numRuns: 5000 },
  )
})

test('a signature is one record more, at the end', () => {
  const question = query(1, 'a.test', TYPE.TXT)
  const message = readMessage(sign(question, key, now).bytes)
  expect([message.additional.length, message.additional[0]?.type, message.additional[0]?.name]).toEqual([1, 250, 'k'])
})

test.each([
  ['hmac-sha256:updater:c2VjcmV0', { algorithm: 'hmac-sha256', name: 'updater', secret: 'c2VjcmV0' }],
  ['hmac-sha512:k.example.com.:YQ==', { algorithm: 'hmac-sha512', name: 'k.example.com.', secret: 'YQ==' }],
  ['hmac-md5:k:YQ==', null],
  ['k:YQ==', null],
  ['hmac-sha256:k:', null],
  ['hmac-sha256:k:not base64', null],
  ['hmac-sha256:k:YQ==:more', null],
])('the key %s', (text, wanted) => expect(parseTsigKey(text)).toEqual(wanted))

test.each([
  ['ns1.example.com', 'ns1.example.com', 53],
  ['192.0.2.1:5353', '192.0.2.1', 5353],
  ['2001:db8::1', '2001:db8::1', 53],
  ['[2001:db8::1]:5353', '2001:db8::1', 5353],
])('the server %s', (text, host, port) => {
  expect(serverOf(text)).toEqual({ host, port })
  expect(spell({ host, port })).toBe(text)
})
