import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startNameServer, type TestNameServer } from '../../../../lab/dns/start.ts'
import { answering, stand } from '../../../../test-kit/tcp-server.ts'
import { type Rfc2136Options, rfc2136 } from './rfc2136.ts'

const signal = new AbortController().signal
const always = { signal }
const ZONE = 'example.test'
const NAME = `_acme-challenge.${ZONE}`

let knot: TestNameServer
let bind: TestNameServer
/** Its secondary never copies anything. */
let slow: TestNameServer

beforeAll(async () => {
  const alias = `_acme-challenge.shop CNAME challenge.elsewhere.${ZONE}.`
  const records = [
    alias,
    'round CNAME round',
    `*.wild CNAME www.${ZONE}.`,
    'sub NS ns.sub',
    'sub.ns A 127.0.0.1',
    'deep.below.here A 192.0.2.1',
  ]
  knot = await startNameServer({ zone: ZONE, secondary: true, records })
  bind = await startNameServer({ zone: ZONE, software: 'bind', algorithm: 'hmac-sha512', records })
  slow = await startNameServer({ zone: ZONE, secondary: true, refreshSeconds: 3600 })
}, 120_000)
afterAll(async () => {
  await Promise.all([knot?.stop(), bind?.stop(), slow?.stop()])
})

/** `resolvers`: nobody else is asked about these names. */
const at = (server: TestNameServer, more: Partial<Rfc2136Options> = {}) =>
  rfc2136({ server: server.address, tsig: server.tsig, resolvers: ['127.0.0.1:1'], visibleMs: 20_000, ...more })

describe.each([
  [
    'Knot, hmac-sha256',
    () => knot,
    { code: 'key_refused', message: /does not know the key stranger .* not for this zone/ },
  ],
  ['BIND, hmac-sha512', () => bind, { code: 'update_refused', message: /does not let the key stranger change/ }],
] as const)('%s', (_, server, mayNot) => {
  test('a value comes beside others, and only that one goes again', async () => {
    const dns = at(server())
    const values = ['first', 'second'].map((word) => word.padEnd(43, '-'))
    await Promise.all(values.map((value) => dns.put(NAME, value, always)))
    expect((await server().txt(NAME)).toSorted()).toEqual(values)
    await dns.put(NAME, values[0] ?? '', always)
    expect(await server().txt(NAME)).toHaveLength(2)
    await dns.remove(NAME, values[0] ?? '', always)
    expect(await server().txt(NAME)).toEqual([values[1]])
    await dns.remove(NAME, values[1] ?? '', always)
    await dns.remove(NAME, values[1] ?? '', always)
    expect(await server().txt(NAME)).toEqual([])
  })

  test('a long text, and a name in capitals whose parents have no records of their own', async () => {
    const [name, value] = [`_acme-challenge.Deep.Below.HERE.${ZONE}`, 'x'.repeat(600)]
    await at(server()).put(name, value, always)
    expect(await server().txt(name)).toEqual([value])
    await at(server()).remove(name, value, always)
  })

  test('an alias is followed to where it leads', async () => {
    const [alias, real] = [`_acme-challenge.shop.${ZONE}`, `challenge.elsewhere.${ZONE}`]
    await at(server()).put(alias, 'by another name', always)
    expect(await server().txt(real)).toEqual(['by another name'])
    expect(await server().txt(alias)).toEqual(['by another name'])
    await at(server()).remove(alias, 'by another name', always)
    expect(await server().txt(real)).toEqual([])
  })

  test('a wildcard of aliases, as one has who wants a wildcard certificate, is none of this name', async () => {
    const name = `_acme-challenge.wild.${ZONE}`
    await at(server()).put(name, 'its own', always)
    expect(await server().txt(name)).toEqual(['its own'])
    expect(await server().txt(`www.${ZONE}`)).toEqual([])
    await at(server()).remove(name, 'its own', always)
  })

  const wrong: [what: string, more: () => Partial<Rfc2136Options>, name: string, failure: object][] = [
    [
      'another secret',
      () => ({ tsig: { ...server().tsig, secret: Buffer.alloc(32).toString('base64') } }),
      NAME,
      { code: 'key_refused', message: expect.stringMatching(/has another secret for the key updater\.$/) },
    ],
    [
      'a key that nobody knows',
      () => ({ tsig: { ...server().tsig, name: 'nobody' } }),
      NAME,
      { code: 'key_refused', message: expect.stringMatching(/does not know the key nobody/) },
    ],
    [
      'a key that may not',
      () => ({ tsig: server().stranger }),
      NAME,
      { code: mayNot.code, message: expect.stringMatching(mayNot.message) },
    ],
    [
      'a clock that is an hour late',
      () => ({ now: () => new Date(Date.now() - 3600_000) }),
      NAME,
      { code: 'clock_wrong', message: expect.stringMatching(/it is 20\d\d-.* here it is 20\d\d-/) },
    ],
    [
      'an answer that was signed long ago',
      () => {
        // Each question is signed now, and its answer is looked at when it is old.
        let asked = 0
        return { now: () => new Date(Date.now() + (asked++ % 2 === 0 ? 0 : 3600_000)) }
      },
      NAME,
      { code: 'clock_wrong' },
    ],
    [
      'a name of others',
      () => ({}),
      '_acme-challenge.example.org',
      { code: 'zone_missing', message: expect.stringMatching(/holds no zone with _acme-challenge.example.org/) },
    ],
    ['a name that was given to others', () => ({}), `_acme-challenge.sub.${ZONE}`, { code: 'zone_missing' }],
    ['an alias of itself', () => ({}), `round.${ZONE}`, { code: 'zone_missing' }],
  ]
  test.each(wrong)('%s', async (_, more, name, failure) => {
    const said = await at(server(), more())
      .put(name, 'a value', always)
      .catch((error) => error)
    expect(said).toMatchObject({ driver: 'dns-update', hint: expect.stringMatching(/\.$/), ...failure })
    expect(`${said.stack}${said.hint}`).not.toContain(server().tsig.secret)
  })
})

describe('seen by everyone', () => {
  test('it returns only when the secondary shows the value, which copies it later', async () => {
    const name = `_acme-challenge.copied.${ZONE}`
    await at(knot).put(name, 'copied', always)
    expect(await knot.txt(name, knot.secondary ?? '')).toEqual(['copied'])
    await at(knot).remove(name, 'copied', always)
  })

  test('one that does not within its time is named', async () => {
    const putting = at(slow, { visibleMs: 500 }).put(NAME, 'late', always)
    const [address] = (slow.secondary ?? '').split(':')
    const message = expect.stringContaining(`accepted, and ${address} did not show it`)
    await expect(putting).rejects.toMatchObject({ code: 'not_visible', message })
    expect(await slow.txt(NAME)).toEqual(['late'])
    await at(slow).remove(NAME, 'late', always)
  })

  test('nobody waits for it any more when the caller has left', async () => {
    const caller = new AbortController()
    const putting = at(slow).put(NAME, 'left', { signal: caller.signal })
    putting.catch(() => {})
    await expect.poll(() => slow.txt(NAME)).toEqual(['left'])
    caller.abort(new Error('the caller left'))
    await expect(putting).rejects.toThrow('the caller left')
    await at(slow).remove(NAME, 'left', always)
  })

  test('one that cannot be reached is not waited for', async () => {
    await slow.stopSecondary()
    await at(slow).put(NAME, 'without it', always)
    expect(await slow.txt(NAME)).toEqual(['without it'])
  })

  test('an alias in a zone of others leads to the server that takes changes', async () => {
    const records = [`_acme-challenge CNAME other.challenges.${ZONE}.`]
    const others = await startNameServer({ zone: 'other.test', software: 'bind', records })
    const dns = at(bind, { resolvers: [others.address] })
    await dns.put('_acme-challenge.other.test', 'over there', always)
    expect(await bind.txt(`other.challenges.${ZONE}`)).toEqual(['over there'])
    await dns.remove('_acme-challenge.other.test', 'over there', always)
    expect(await bind.txt(`other.challenges.${ZONE}`)).toEqual([])
    await others.stop()
  })
})

describe('no name server', () => {
  const tsig = { name: 'k', algorithm: 'hmac-sha256' as const, secret: 'c2VjcmV0' }
  const put = (server: string, more: Partial<Rfc2136Options> & { signal?: AbortSignal } = {}) =>
    rfc2136({ server, tsig, deadlineMs: 300, ...more }).put(NAME, 'v', { signal: more.signal ?? signal })

  test('nobody listens', async () => {
    const gone = await stand(() => {})
    await gone.stop()
    await expect(put(gone.address, { deadlineMs: 20_000 })).rejects.toMatchObject({ code: 'dns_unreachable' })
    // Where nobody can be asked for the name, that takes longer.
    const code = expect.stringMatching(/^dns_(unreachable|timeout)$/)
    await expect(put('no-such-host.invalid')).rejects.toMatchObject({ code })
  })

  test('a black hole ends by the deadline, or when the caller leaves', async () => {
    const hole = await stand(() => {})
    const began = performance.now()
    await expect(put(hole.address)).rejects.toMatchObject({ code: 'dns_timeout' })
    // Ten seconds are usual.
    expect(performance.now() - began).toBeLessThan(8000)
    const caller = new AbortController()
    const putting = put(hole.address, { deadlineMs: 60_000, signal: caller.signal })
    setTimeout(() => caller.abort(new Error('the caller left')), 50)
    await expect(putting).rejects.toThrow('the caller left')
    await hole.stop()
  })

  test('one that hangs up, one that speaks something else, and one that does not sign', async () => {
    const [rude, web, plain] = await Promise.all([
      stand((socket) => socket.end()),
      stand((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'.padEnd(0x5000, '.'))),
      // The question itself, as an answer that says yes.
      answering((question) => {
        const answer = Buffer.from(question)
        answer.writeUInt16BE(0x8400, 2)
        answer.writeUInt16BE(0, 10)
        return answer
      }),
    ])
    await expect(put(rude.address)).rejects.toMatchObject({ code: 'dns_unreachable' })
    await expect(put(web.address)).rejects.toMatchObject({ code: 'dns_failed' })
    await expect(put(plain.address)).rejects.toMatchObject({ code: 'dns_failed', message: /does not sign/ })
    await Promise.all([rude, web, plain].map((one) => one.stop()))
  })

  test('one that answers another question than was asked', async () => {
    const other = await answering((question) => {
      const answer = Buffer.from(question)
      answer.writeUInt16BE(question.readUInt16BE(0) ^ 1, 0)
      answer.writeUInt16BE(0x8400, 2)
      return answer
    })
    const failure = { code: 'dns_failed', message: expect.stringMatching(/is no name server\.$/) }
    await expect(put(other.address, { deadlineMs: 15_000 })).rejects.toMatchObject(failure)
    await other.stop()
  })

  test('one that only repeats our own signature is not believed', async () => {
    const mirror = await answering((question) => {
      const answer = Buffer.from(question)
      answer.writeUInt16BE(0x8400, 2)
      return answer
    })
    await expect(put(mirror.address)).rejects.toMatchObject({ code: 'key_refused' })
    await mirror.stop()
  })
})
