import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressSet, kindOf } from './address-guard.ts'

const dotted = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join('.')
const hex = (n: number) => `${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}`
const any32 = fc.integer({ min: 0, max: 0xffffffff })
const within = (network: number, bits: number) =>
  fc.integer({ min: 0, max: 2 ** (32 - bits) - 1 }).map((low) => (network + low) >>> 0)

/** Written down a second time, as numbers, so that a slip in the one is not in the other. */
const CLOSED = [
  within(0x00000000, 8),
  within(0x0a000000, 8),
  within(0x64400000, 10),
  within(0x7f000000, 8),
  within(0xa9fe0000, 16),
  within(0xac100000, 12),
  within(0xc0000000, 24),
  within(0xc0000200, 24),
  within(0xc0a80000, 16),
  within(0xc6120000, 15),
  within(0xc6336400, 24),
  within(0xcb007100, 24),
  within(0xe0000000, 3),
]

describe('no address of these is of the internet, in no form', () => {
  const forms: Record<string, (n: number) => string> = {
    'as it is': dotted,
    mapped: (n) => `::ffff:${dotted(n)}`,
    'mapped, in hexadecimal': (n) => `::ffff:${hex(n)}`,
    'mapped, in full': (n) => `0:0:0:0:0:FFFF:${hex(n)}`,
    compatible: (n) => `::${dotted(n)}`,
    'translated (NAT64)': (n) => `64:ff9b::${dotted(n)}`,
    'translated within a network': (n) => `64:ff9b:1::${dotted(n)}`,
    '6to4': (n) => `2002:${hex(n)}::1`,
    'Teredo, as the server': (n) => `2001:0:${hex(n)}::1`,
    'Teredo, as the client': (n) => `2001:0:808:808:0:0:${hex(~n >>> 0)}`,
    'IPv4-translated': (n) => `::ffff:0:${dotted(n)}`,
  }
  test.each(Object.entries(forms))('%s', (_, form) => {
    fc.assert(fc.property(fc.oneof(...CLOSED), (n) => kindOf(form(n)) !== null))
  })
})

test.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['0.0.0.0', 'unspecified'],
  ['::', 'unspecified'],
  ['10.1.2.3', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['fd12:3456::1', 'private'],
  ['fec0::1', 'private'],
  ['100.100.100.200', 'metadata'],
  ['100.64.0.1', 'shared'],
  ['169.254.169.254', 'link-local'],
  ['64:ff9b::169.254.169.254', 'link-local'],
  ['64:ff9b::a9fe:a9fe', 'link-local'],
  ['fd00:ec2::254', 'metadata'],
  ['fe80::1', 'link-local'],
  ['168.63.129.16', 'metadata'],
  ['224.0.0.1', 'multicast'],
  ['ff02::1', 'multicast'],
  ['255.255.255.255', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['64:ff9b:1::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['fe80::1%eth0', 'not an address'],
  ['2600::1%1', 'not an address'],
  ['127.1', 'not an address'],
  ['0x7f000001', 'not an address'],
  ['2130706433', 'not an address'],
  ['example.com', 'not an address'],
  ['', 'not an address'],
])('%s is %s', (address, kind) => expect(kindOf(address)).toBe(kind))

test.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::8', '64:ff9b::8.8.8.8'])(
  '%s is of the internet',
  (address) => expect(kindOf(address)).toBeNull(),
)

test('an IPv6 form of an IPv4 address is never more open than the address', () => {
  const open = (address: string) => kindOf(address) === null
  fc.assert(
    fc.property(any32, (n) => {
      const plain = open(dotted(n))
      expect([open(`::ffff:${hex(n)}`), open(`64:ff9b::${hex(n)}`)]).toEqual([plain, plain])
    }),
  )
})

test('outside of what was given out, no IPv6 address is of the internet', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      fc.pre(((groups[0] ?? 0) & 0xe000) !== 0x2000 && groups[0] !== 0x64 && groups[0] !== 0)
      return kindOf(groups.map((part) => part.toString(16)).join(':')) !== null
    }),
  )
})

test('whatever is asked, there is an answer', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (text) => void kindOf(text)))
})

test('a set knows its addresses however they are written, and no others', () => {
  const own = addressSet(['127.0.0.1', '2600:0:0::1', 'rubbish', 'fe80::1%lo'])
  for (const address of ['127.0.0.1', '::ffff:7f00:1', '2600::1', '2600:0:0:0:0:0:0:1']) expect(own(address)).toBe(true)
  for (const address of ['127.0.0.2', '2600::2', 'rubbish', 'fe80::1', '']) expect(own(address)).toBe(false)
})
