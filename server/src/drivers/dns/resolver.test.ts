import { afterAll, expect, test } from 'vitest'
import { serveNames } from '../../../../test-kit/serve-names.ts'
import { dnsResolver } from './resolver.ts'

const never = new AbortController().signal
const names = await serveNames({
  'both.example.com': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] },
  'bare.example.com': {},
  'www.example.com': { CNAME: ['Apps.example.com'], A: ['192.0.2.7'] },
  'apps.example.com': { CNAME: ['edge.example.net'], A: ['192.0.2.7'] },
  'edge.example.net': { A: ['192.0.2.7'] },
  'ring1.example.com': { CNAME: ['ring2.example.com'] },
  'ring2.example.com': { CNAME: ['ring1.example.com'] },
  'dangling.example.com': { CNAME: ['gone.example.net'] },
  'text.example.com': { TXT: ['slipway-verify=abc', 'x'.repeat(450)] },
  'broken.example.com': 'servfail',
  'refused.example.com': 'refused',
  'silent.example.com': 'silent',
})
afterAll(() => names.close())
const dns = dnsResolver({ servers: [names.server] })
const look = (host: string, more: { txt?: boolean; deadlineMs?: number; signal?: AbortSignal } = {}) =>
  dns.lookup(host, { signal: never, deadlineMs: 15_000, ...more })

test('addresses of both kinds; a name that has none is an answer too', async () => {
  const nothing = { a: [], aaaa: [], cname: [], txt: null, problem: null }
  const both = { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] }
  expect(await look('both.example.com')).toEqual({ ...nothing, ...both })
  expect(await look('bare.example.com')).toEqual(nothing)
})

test('aliases are followed to the end, and a ring has one', async () => {
  const www = await look('www.example.com')
  expect([www.cname, www.a]).toEqual([['apps.example.com', 'edge.example.net'], ['192.0.2.7']])
  expect((await look('ring1.example.com')).cname).toEqual(['ring2.example.com'])
  expect((await look('dangling.example.com')).cname).toEqual(['gone.example.net'])
})

test('texts are asked for only when wanted, and put together again', async () => {
  expect((await look('text.example.com')).txt).toBeNull()
  expect(names.asked).not.toContain('TXT text.example.com')
  const { txt } = await look('text.example.com', { txt: true })
  expect(txt?.toSorted()).toEqual(['slipway-verify=abc', 'x'.repeat(450)])
  expect((await look('both.example.com', { txt: true })).txt).toEqual([])
  expect((await look('broken.example.com', { txt: true })).txt).toBeNull()
})

test.each([
  ['unknown.example.com', 'nxdomain'],
  ['broken.example.com', 'servfail'],
  ['refused.example.com', 'servfail'],
] as const)('%s: %s', async (host, problem) => expect(await look(host)).toMatchObject({ a: [], aaaa: [], problem }))

test('a server that is silent is a timeout, by the deadline', async () => {
  const began = performance.now()
  expect(await look('silent.example.com', { deadlineMs: 400 })).toMatchObject({ a: [], problem: 'timeout' })
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('no server at all is one that fails', async () => {
  const nobody = await serveNames({})
  nobody.close()
  const answer = await dnsResolver({ servers: [nobody.server] }).lookup('x.example.com', {
    signal: never,
    deadlineMs: 1000,
  })
  expect(answer.a).toEqual([])
  expect(answer.problem).toMatch(/servfail|timeout/)
})

test('the signal ends it at once, with its own reason', async () => {
  const gone = new AbortController()
  const looking = look('silent.example.com', { signal: gone.signal, deadlineMs: 60_000 })
  setTimeout(() => gone.abort(new Error('the caller hung up')), 50)
  await expect(looking).rejects.toThrow('the caller hung up')
  await expect(look('both.example.com', { signal: gone.signal })).rejects.toThrow('the caller hung up')
})

test('nothing is remembered: the next question hears what is true then', async () => {
  names.zone['moving.example.com'] = { A: ['192.0.2.1'] }
  expect((await look('moving.example.com')).a).toEqual(['192.0.2.1'])
  names.zone['moving.example.com'] = { A: ['192.0.2.2'] }
  expect((await look('moving.example.com')).a).toEqual(['192.0.2.2'])
})
