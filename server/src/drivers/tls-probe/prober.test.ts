import { afterAll, describe, expect, test } from 'vitest'
import { tool } from '../../../../lab/tools.ts'
import { authorities, listeners } from '../../../../test-kit/tls-listeners.ts'
import { tlsProber } from './prober.ts'
import type { ProbeRequest } from './tls-probe.ts'

const HOST = 'shop.example.com'
const made = authorities(tool('openssl'))
const known = made.authority('Known')
const stranger = made.authority('Stranger')
const on = listeners()
afterAll(() => {
  on.closeAll()
  made.remove()
})
const { probe } = tlsProber({ extraRoots: async () => [known.root] })
const never = new AbortController().signal
const look = (port: number, more: Partial<ProbeRequest> = {}) =>
  probe({ servername: HOST, addresses: ['127.0.0.1'], port, signal: never, deadlineMs: 15_000, ...more })

describe('a certificate is', () => {
  test('valid: all of it is told, and nothing but the handshake was sent', async () => {
    const server = await on.tls(known.issue([HOST, '*.example.com']))
    const seen = await look(server.port)
    expect(seen).toMatchObject({
      state: 'valid',
      address: '127.0.0.1',
      lastError: null,
      problem: null,
      certificate: {
        issuer: 'CN=Known, O=Slipway tests',
        subject: `CN=${HOST}`,
        altNames: [HOST, '*.example.com'],
        trusted: true,
        distrust: null,
        nameMatches: true,
        serial: expect.stringMatching(/^[0-9A-F]+$/),
        fingerprint256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      },
    })
    const { validFrom, validTo } = seen.certificate ?? {}
    expect(Number(validTo) - Number(validFrom)).toBe(90 * 86_400_000)
    expect([server.connections.length, server.received]).toEqual([1, []])
    expect((await look(server.port, { servername: 'other.example.com' })).state).toBe('valid')
  })

  test.for<[state: string, what: string, pair: () => { key: string; cert: string }, words: string | null]>([
    ['expiring', 'a third of its life is left', () => known.issue([HOST], { from: -61, to: 29 }), 'expires on'],
    ['valid', 'just more than a third', () => known.issue([HOST], { from: -59, to: 31 }), null],
    ['expiring', 'two weeks are left', () => known.issue([HOST], { from: -16, to: 13 }), 'expires on'],
    ['valid', 'a life of six days has just begun', () => known.issue([HOST], { from: -0.5, to: 5.5 }), null],
    ['expiring', 'and when it is half over', () => known.issue([HOST], { from: -3.1, to: 2.9 }), 'expires on'],
    ['expired', 'its time is over', () => known.issue([HOST], { from: -90, to: -1 }), 'expired on'],
    ['expired', 'its time has not come', () => known.issue([HOST], { from: 1, to: 90 }), 'valid only from'],
    ['self_signed', 'nobody vouches for it', () => made.selfSigned(HOST), 'signed by itself'],
    ['self_signed', 'a stranger vouches for it', () => stranger.issue([HOST]), 'not trusted here'],
    ['mismatch', 'it is for another name', () => known.issue(['a.example.com']), 'is for a.example.com, not for'],
    ['mismatch', 'its wildcard is deeper', () => known.issue(['*.shop.example.com']), 'not for shop.example.com'],
    ['mismatch', 'its name is only a common name', () => known.issue([]), 'names no host at all'],
  ])('%s when %s', async ([state, , pair, words]) => {
    const seen = await look((await on.tls(pair())).port)
    expect(seen).toMatchObject({ state, problem: null })
    if (words === null) expect(seen.lastError).toBeNull()
    else expect(seen.lastError).toContain(words)
  })

  test('several of these at once: the gravest is the state, and all are told', async () => {
    const seen = await look((await on.tls(stranger.issue(['a.example.com'], { from: -9, to: -1 }))).port)
    expect(seen).toMatchObject({ state: 'expired', lastError: expect.stringMatching(/expired on .* not for shop/) })
    const own = await look((await on.tls(made.selfSigned('a.example.com'))).port)
    expect(own).toMatchObject({ state: 'self_signed', lastError: expect.stringMatching(/by itself.* not for shop/) })
  })

  test('the one for the name that is asked for', async () => {
    const server = await on.tls({ ...known.issue(['default.example.com']) })
    expect((await look(server.port)).state).toBe('mismatch')
    expect((await look(server.port, { servername: 'default.example.com' })).state).toBe('valid')
  })
})

describe('no certificate, because', () => {
  test('nothing listens', async () => {
    const { port, close } = await on.silent()
    close()
    const seen = await look(port)
    expect(seen).toMatchObject({ state: 'missing', problem: 'no_listener', address: null, certificate: null })
    expect(seen.lastError).toBe(`Nothing listens on port ${port} of 127.0.0.1: the connection was refused.`)
  })

  test('what listens speaks HTTP, and where that would lead is not gone to', async () => {
    const elsewhere = await on.tls(known.issue(['localhost']))
    const server = await on.http()
    const seen = await look(server.port)
    expect(seen).toMatchObject({ state: 'missing', problem: 'not_tls', address: '127.0.0.1' })
    expect(seen.lastError).toContain('does not speak TLS')
    expect(elsewhere.connections).toEqual([])
  })

  test.each([
    ['SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n'],
    ['220 mail.example.com ESMTP\r\n'],
    ['\x4a\0\0\0\x0a8.0.36\0 rest'],
  ])('what listens says %j', async (text) => {
    expect(await look((await on.banner(text)).port)).toMatchObject({ state: 'missing', problem: 'not_tls' })
  })

  test('what listens says anything at all, whatever its first byte', async () => {
    for (let first = 0; first < 256; first += 3) {
      const { port, close } = await on.banner(`${String.fromCharCode(first)}\x03\x03\0\x10 and the rest of a greeting`)
      const seen = await look(port)
      expect([first, seen.state, seen.problem]).toEqual([first, 'missing', 'not_tls'])
      close()
    }
  })

  test('it speaks only a TLS of long ago', async () => {
    const old = { ciphers: 'ALL@SECLEVEL=0', minVersion: 'TLSv1', maxVersion: 'TLSv1' } as const
    const server = await on.tls({ ...known.issue([HOST]), ...old })
    expect(await look(server.port)).toMatchObject({ state: 'missing', problem: 'handshake_refused' })
  })

  test('it has none for this name', async () => {
    const pair = known.issue(['default.example.com'])
    const { createSecureContext } = await import('node:tls')
    const refusing = await on.tls({
      SNICallback: (name, done) => done(null, name === HOST ? undefined : createSecureContext(pair)),
    })
    const seen = await look(refusing.port)
    expect(seen).toMatchObject({ state: 'missing', problem: 'handshake_refused' })
    expect(seen.lastError).toContain(`refused the TLS handshake for ${HOST}`)
    expect((await look(refusing.port, { servername: 'default.example.com' })).state).toBe('valid')
  })

  test('it hangs up in the middle', async () => {
    expect(await look((await on.hangsUp()).port)).toMatchObject({ state: 'missing', problem: 'hung_up' })
  })

  test('it takes the connection and never speaks: over at the deadline', async () => {
    const server = await on.silent()
    const began = performance.now()
    const seen = await look(server.port, { deadlineMs: 500 })
    expect(seen).toMatchObject({ state: 'unreachable', problem: 'silent', address: '127.0.0.1' })
    // Eight seconds are usual.
    expect(performance.now() - began).toBeLessThan(7000)
    await expect.poll(() => server.connections.every((socket) => socket.destroyed)).toBe(true)
  })

  test('packets vanish: over at the deadline', async () => {
    const seen = await look(await on.blackHole(), { deadlineMs: 500 })
    expect(seen).toMatchObject({ state: 'unreachable', problem: 'no_answer', address: null })
    expect(seen.lastError).toContain('no answer')
  })
})

describe('addresses', () => {
  test('of IPv6 as well', async () => {
    const server = await on.tls(known.issue([HOST]), '::1')
    expect(await look(server.port, { addresses: ['::1'] })).toMatchObject({ state: 'valid', address: '::1' })
  })

  test('the first that takes a connection is the one', async () => {
    const server = await on.tls(known.issue([HOST]))
    const seen = await look(server.port, { addresses: ['::1', '127.0.0.9', '127.0.0.1', '127.0.0.2'] })
    expect([seen.state, seen.address, server.connections.length]).toEqual(['valid', '127.0.0.1', 1])
  })

  test('one that is silent does not use up the time of the next', async () => {
    const port = await on.blackHole()
    // The same port of another address: refused, which is an answer.
    const seen = await look(port, { addresses: ['127.0.0.1', '127.0.0.9'], deadlineMs: 1000 })
    expect(seen).toMatchObject({ state: 'missing', problem: 'no_listener' })
  })

  test('and never names, which would be looked up', async () => {
    await expect(look(1, { addresses: ['localhost'] })).rejects.toThrow('not an address: localhost')
    await expect(look(1, { addresses: [] })).rejects.toThrow('not an address')
  })
})

test('the signal ends it at once, before and during the handshake', async () => {
  const { port } = await on.silent()
  const gone = new AbortController()
  const looking = look(port, { signal: gone.signal, deadlineMs: 60_000 })
  setTimeout(() => gone.abort(new Error('the caller hung up')), 100)
  await expect(looking).rejects.toThrow('the caller hung up')
  await expect(look(port, { signal: gone.signal })).rejects.toThrow('the caller hung up')
})
