import { createPublicKey, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCa, type TestCa } from '../../../../lab/ca/start.ts'
import { type Answers, answerHttp } from '../../../../test-kit/acme.ts'
import type { AcmeAccount, AcmeTarget, Challenge, IssueRequest } from './acme.ts'
import { acmeClient } from './client.ts'
import { newKey } from './key.ts'

const acme = acmeClient()
const signal = new AbortController().signal
let answers: Answers
let ca: TestCa
let target: AcmeTarget
let account: AcmeAccount

beforeAll(async () => {
  answers = await answerHttp()
  ca = await startCa({ httpPort: answers.port })
  target = { directoryUrl: ca.directoryUrl, roots: ca.roots }
  account = await acme.account(target, { signal, contact: ['mailto:someone@example.com'] })
  const names = ['a.test', 'b.test', ...Array.from({ length: 10 }, (_, n) => `n${n}.test`)]
  await Promise.all(names.map((name) => ca.dns.set(name, { a: ['127.0.0.1'] })))
})
afterAll(async () => {
  await ca?.stop()
  await answers?.stop()
})

const issue = (hosts: string[], more: Partial<IssueRequest> = {}) =>
  acme.issue(target, { account, hosts, challenge: answers.challenge, signal, ...more })

/** Values in the lab's own DNS. */
const txt: Challenge = {
  kind: 'dns-01',
  put: (name, value) => ca.dns.addTxt(name, value),
  remove: (name) => ca.dns.clear(name),
}

describe('an account', () => {
  test('is made once for a key, and found again by it', async () => {
    expect(createPublicKey(account.keyPem).asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
    const again = await acme.account(target, { keyPem: account.keyPem, contact: ['mailto:other@example.com'], signal })
    expect(again).toEqual(account)
    const other = await acme.account(target, { signal })
    expect(other.url).not.toBe(account.url)
    // A key that was made before the CA heard of it: the first try may have ended in between.
    const keyPem = await newKey()
    expect((await acme.account(target, { keyPem, signal })).keyPem).toBe(keyPem)
  })

  test('is one for all who make it with the same key at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const keyPem = await newKey()
      const made = await Promise.all(Array.from({ length: 4 }, () => acme.account(target, { keyPem, signal })))
      expect(new Set(made.map(({ url }) => url)).size).toBe(1)
    }
  })

  test('that the CA does not know is refused', async () => {
    const unknown = { ...account, url: `${account.url}0` }
    await expect(issue(['a.test'], { account: unknown })).rejects.toMatchObject({ code: 'account_refused' })
  })

  test('is bound to a key where the CA asks for it', async () => {
    const strict = await startCa({ httpPort: answers.port, eab: true })
    const at = { directoryUrl: strict.directoryUrl, roots: strict.roots }
    const { kid, hmacKey } = strict.eab
    const refused = {
      code: 'account_refused',
      facts: { problem: { type: expect.stringMatching(/^urn:ietf:params:acme:error:/) } },
    }
    try {
      await expect(acme.account(at, { signal })).rejects.toMatchObject(refused)
      const wrong = [
        { kid, hmacKey: Buffer.alloc(32).toString('base64url') },
        { kid: 'nobody', hmacKey },
      ]
      for (const eab of wrong) await expect(acme.account({ ...at, eab }, { signal })).rejects.toMatchObject(refused)
      const bound = await acme.account({ ...at, eab: { kid, hmacKey } }, { signal })
      expect(bound.url).toMatch(/^https:/)
      expect(await acme.account({ ...at, eab: { kid, hmacKey } }, { keyPem: bound.keyPem, signal })).toEqual(bound)
    } finally {
      await strict.stop()
    }
  })
})

describe('a certificate', () => {
  test('is for the names, with a key of its own, and trusted by the CA’s root', async () => {
    const issued = await issue(['a.test', 'b.test'])
    const [leaf = '', intermediate = ''] = issued.chainPem.split(/(?<=-----END CERTIFICATE-----\n)/)
    const certificate = new X509Certificate(leaf)
    expect(certificate.subjectAltName).toBe('DNS:a.test, DNS:b.test')
    expect(issued).toMatchObject({ hosts: ['a.test', 'b.test'], serial: certificate.serialNumber })
    expect(issued.issuer).toMatch(/^Pebble Intermediate CA/)
    expect(issued.notAfter.getTime()).toBeGreaterThan(Date.now())
    expect(issued.notBefore.getTime()).toBeLessThanOrEqual(Date.now())
    expect(createPublicKey(issued.keyPem).asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
    const root = new X509Certificate(await ca.issuingRoots())
    expect(new X509Certificate(intermediate).verify(root.publicKey)).toBe(true)
    expect(answers.tokens.size).toBe(0)
  })

  test('is renewed with another serial and key, and the CA says when', async () => {
    const first = await issue(['a.test'])
    const window = await acme.renewalWindow(target, { certificatePem: first.chainPem, signal })
    expect(window?.from.getTime()).toBeLessThan(first.notAfter.getTime())
    expect(window?.to.getTime()).toBeGreaterThan(window?.from.getTime() ?? 0)
    expect(window?.checkAfter.getTime()).toBeGreaterThan(Date.now())
    const second = await issue(['a.test'], { replaces: first.chainPem })
    expect(second.serial).not.toBe(first.serial)
    expect(second.keyPem).not.toBe(first.keyPem)
    // The same once more: the CA refuses to replace it twice, and gives one all the same.
    expect((await issue(['a.test'], { replaces: first.chainPem })).serial).not.toBe(second.serial)
  })

  test('for a wildcard and its parent is proved in DNS', async () => {
    const issued = await issue(['*.wild.test', 'wild.test'], { challenge: txt })
    const certificate = new X509Certificate(issued.chainPem)
    expect(certificate.checkHost('any.wild.test')).toBe('*.wild.test')
    expect(certificate.checkHost('wild.test')).toBe('wild.test')
    // A name never proved before: the CA forgets a proof 99 times of 100, whatever it is told.
    const refused = issue(['*.other.test'])
    await expect(refused).rejects.toMatchObject({ code: 'order_rejected', message: expect.stringContaining('dns-01') })
  })

  test('comes for ten orders at once, each its own', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, (_, n) => issue([`n${n}.test`])))
    expect(new Set(all.map(({ serial }) => serial)).size).toBe(10)
    for (const [n, { chainPem }] of all.entries()) {
      expect(new X509Certificate(chainPem).subjectAltName).toBe(`DNS:n${n}.test`)
    }
    expect(answers.tokens.size).toBe(0)
  }, 60_000)
})

describe('a refusal', () => {
  test('of a proof is told in the CA’s words, with the name', async () => {
    const wrong: Challenge = { ...answers.challenge, put: (token) => answers.challenge.put(token, 'something else') }
    await expect(issue(['a.test', 'b.test'], { challenge: wrong })).rejects.toMatchObject({
      code: 'challenge_failed',
      message: expect.stringMatching(/for [ab]\.test: .*something else/),
      facts: { problem: { type: 'urn:ietf:params:acme:error:unauthorized' } },
    })
    expect(answers.tokens.size).toBe(0)
  })

  test('because nobody listens, or the name leads nowhere', async () => {
    await ca.dns.set('closed.test', { a: ['127.0.0.2'] })
    for (const host of ['closed.test', 'nowhere.test']) {
      await expect(issue([host])).rejects.toMatchObject({
        code: 'challenge_failed',
        facts: { problem: expect.anything() },
      })
    }
  })

  test('of a name is one of the order', async () => {
    await expect(issue(['blocked.test'])).rejects.toMatchObject({
      code: 'order_rejected',
      facts: { problem: { type: 'urn:ietf:params:acme:error:rejectedIdentifier' } },
    })
  })

  test('of the caller’s own comes through as it is', async () => {
    const broken: Challenge = { ...answers.challenge, put: async () => Promise.reject(new RangeError('no room')) }
    await expect(issue(['a.test'], { challenge: broken })).rejects.toThrow(new RangeError('no room'))
  })
})
