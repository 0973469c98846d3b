import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startCa, type TestCa } from '../../../../lab/ca/start.ts'
import { type Answers, answerHttp, type Front, frontOf, say } from '../../../../test-kit/acme.ts'
import type { AcmeAccount, AcmeTarget, Challenge } from './acme.ts'
import { acmeClient } from './client.ts'

// What a real CA does only on its worst days, done by a front that passes everything else on to a real one.
const acme = acmeClient({ requestMs: 20_000, deadlineMs: 60_000 })
/** For those that are known never to answer. */
const hasty = acmeClient({ requestMs: 3000, deadlineMs: 60_000 })
const signal = new AbortController().signal
let answers: Answers
let ca: TestCa
let front: Front
let target: AcmeTarget
let account: AcmeAccount

beforeAll(async () => {
  answers = await answerHttp()
  ca = await startCa({ httpPort: answers.port })
  await ca.dns.set('a.test', { a: ['127.0.0.1'] })
  front = await frontOf(ca)
  target = { directoryUrl: front.directoryUrl, roots: ca.roots }
  account = await acme.account(target, { signal })
})
afterAll(async () => {
  await front?.stop()
  await ca?.stop()
  await answers?.stop()
})
beforeEach(() => {
  front.play(undefined)
  front.asked.length = 0
})

type More = { signal?: AbortSignal; challenge?: Challenge; deadlineMs?: number; replaces?: string }
const issue = (more: More = {}, client = acme) =>
  client.issue(target, { account, hosts: ['a.test'], challenge: answers.challenge, signal, ...more })

const PROBLEM = 'urn:ietf:params:acme:error:'
const orders = () => front.asked.filter((line) => line.startsWith('POST /order-plz')).length

describe('a CA that', () => {
  test('counts too many orders says until when, and is not asked again', async () => {
    const problem = { type: `${PROBLEM}rateLimited`, detail: 'too many certificates already issued' }
    front.play(({ url }, response) => url === '/order-plz' && say(response, 429, problem, { 'retry-after': '3600' }))
    const failure = await issue().catch((error) => error)
    expect(failure).toMatchObject({
      code: 'rate_limited',
      facts: { problem },
      message: expect.stringContaining('too many'),
    })
    expect(Math.abs(failure.facts.retryAfter.getTime() - Date.now() - 3_600_000)).toBeLessThan(60_000)
    expect(orders()).toBe(1)
  })

  test('breaks is told apart from one that refuses, and is not asked again', async () => {
    front.play(({ url }, response) => url === '/order-plz' && say(response, 503, {}, { 'retry-after': '120' }))
    await expect(issue()).rejects.toMatchObject({ code: 'ca_failed', facts: { retryAfter: expect.any(Date) } })
    expect(orders()).toBe(1)
    const caa = { type: `${PROBLEM}caa`, detail: 'CAA record for a.test prevents issuance' }
    front.play(({ url }, response) => url === '/order-plz' && say(response, 403, caa))
    await expect(issue()).rejects.toMatchObject({ code: 'order_rejected', facts: { problem: caa } })
    const closed = { type: `${PROBLEM}unauthorized`, detail: 'Account is not valid, has status "deactivated"' }
    front.play(({ url }, response) => url === '/order-plz' && say(response, 403, closed))
    await expect(issue()).rejects.toMatchObject({ code: 'account_refused' })
  })

  test.for(['/dir', '/order-plz', '/my-order/', '/authZ/', '/finalize-order/', '/certZ/'])(
    'talks garbage at %s fails, and leaves no answer behind',
    async (place) => {
      for (const type of ['text/html', 'application/json', 'application/pem-certificate-chain']) {
        front.play(({ url = '' }, response) => {
          if (!url.startsWith(place)) return false
          response.writeHead(200, { 'content-type': type, location: front.directoryUrl }).end('<h1>It works!</h1>')
          return true
        })
        await expect(issue()).rejects.toMatchObject({ code: 'ca_failed', hint: expect.any(String) })
        expect(answers.tokens.size).toBe(0)
      }
    },
  )

  test('brings something like a certificate, or that of another, is not believed', async () => {
    for (const pem of ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', ca.roots]) {
      front.play(({ url = '' }, response) => {
        if (!url.startsWith('/certZ/')) return false
        response.writeHead(200, { 'content-type': 'application/pem-certificate-chain' }).end(pem)
        return true
      })
      await expect(issue()).rejects.toMatchObject({ code: 'ca_failed', message: expect.stringContaining('no use') })
    }
  })

  test('fails over what an order follows is asked once more, without that', async () => {
    const { chainPem: replaces } = await issue()
    let failed = 0
    front.play(({ url }, response) => {
      if (url !== '/order-plz' || failed > 0) return false
      failed += 1
      return say(response, 500, { type: `${PROBLEM}serverInternal`, detail: 'could not find an order' })
    })
    front.asked.length = 0
    expect((await issue({ replaces })).hosts).toEqual(['a.test'])
    expect(orders()).toBe(2)
    failed = 0
    await expect(issue()).rejects.toMatchObject({ code: 'ca_failed' })
    expect(orders()).toBe(3)
  })

  test('refuses a nonce gets another', async () => {
    let refused = 0
    front.play(({ url }, response) => {
      if (url !== '/order-plz' || refused > 1) return false
      refused += 1
      return say(response, 400, { type: `${PROBLEM}badNonce`, detail: 'again' })
    })
    expect((await issue()).hosts).toEqual(['a.test'])
    expect(orders()).toBe(3)
  })

  test('never answers ends at the deadline of the request, and one that never decides at that of the order', async () => {
    front.play(({ url }) => url === '/order-plz')
    const late = { code: 'ca_timeout', message: expect.stringContaining('3 s') }
    await expect(issue({}, hasty)).rejects.toMatchObject(late)
    front.play(({ url = '' }, response) => {
      if (!url.startsWith('/my-order/')) return false
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"pending"}')
      return true
    })
    await expect(issue({ deadlineMs: 4000 })).rejects.toMatchObject({ code: 'ca_timeout' })
    expect(answers.tokens.size).toBe(0)
  })

  test('has no opinion about renewals is not asked for one', async () => {
    const { chainPem: certificatePem } = await issue()
    expect(await acme.renewalWindow(target, { certificatePem, signal })).not.toBeNull()
    front.play(({ url }, response) => {
      if (url !== '/dir') return false
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"newNonce":"https://127.0.0.1:1/"}')
      return true
    })
    expect(await acme.renewalWindow(target, { certificatePem, signal })).toBeNull()
  })
})

describe('a CA that cannot be talked to', () => {
  let hole: Server
  afterAll(() => hole?.close())

  test('is one that does not listen, is not trusted, or never greets', async () => {
    hole = createServer(() => {})
    const port = await new Promise<number>((resolve) => {
      hole.listen(0, '127.0.0.1', () => resolve((hole.address() as { port: number }).port))
    })
    const at = (directoryUrl: string, roots?: string) =>
      hasty.account({ directoryUrl, ...(roots && { roots }) }, { signal })
    await expect(at('https://127.0.0.1:1/dir', ca.roots)).rejects.toMatchObject({ code: 'ca_unreachable' })
    await expect(at(`https://127.0.0.1:${port}/dir`)).rejects.toMatchObject({ code: 'ca_timeout' })
    await expect(at(front.directoryUrl, 'nonsense')).rejects.toMatchObject({
      code: expect.stringMatching(/unreachable/),
    })
    await expect(at('http://127.0.0.1:1/dir')).rejects.toMatchObject({ code: 'ca_failed' })
    // Trust given to one target is not given to another, however they alternate.
    for (const roots of [ca.roots, undefined, ca.roots, undefined]) {
      const made = at(front.directoryUrl, roots)
      if (roots) expect((await made).url).toContain('/my-account/')
      else await expect(made).rejects.toMatchObject({ code: 'ca_unreachable', message: /self-signed certificate/ })
    }
  })
})

describe('a caller who leaves', () => {
  test.for(['POST /order-plz', 'put', 'GET /order', 'POST /finalize-order/', 'POST /certZ/'])(
    'during %s is let go with its own reason, and nothing stays laid out',
    async (where) => {
      const leave = new AbortController()
      let left = 0
      const go = () => {
        left ||= performance.now()
        leave.abort(new Error('the caller left'))
      }
      front.play(({ method, url = '' }) => {
        const here = `${method} ${url}`.startsWith(where.replace('GET /order', 'POST /my-order/'))
        if (here) go()
        return here
      })
      const challenge: Challenge = {
        ...answers.challenge,
        put: async (token, answer) => {
          if (where === 'put') go()
          await answers.challenge.put(token, answer)
        },
      }
      await expect(issue({ signal: leave.signal, challenge })).rejects.toThrow('the caller left')
      // Half the deadline of the request that is never answered.
      expect(performance.now() - left).toBeLessThan(10_000)
      expect(answers.tokens.size).toBe(0)
      await expect(issue({ signal: leave.signal })).rejects.toThrow('the caller left')
    },
  )
})
