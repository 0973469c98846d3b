import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCa, type TestCa } from '../../../lab/ca/start.ts'
import { startNameServer, type TestNameServer } from '../../../lab/dns/start.ts'
import type { Challenge } from '../../src/drivers/acme/acme.ts'
import { acmeClient } from '../../src/drivers/acme/client.ts'
import { rfc2136 } from '../../src/drivers/dns-update/rfc2136.ts'

const ZONE = 'example.test'
const signal = new AbortController().signal
const acme = acmeClient()
let names: TestNameServer
let ca: TestCa

beforeAll(async () => {
  names = await startNameServer({ zone: ZONE, records: ['_acme-challenge.shop CNAME shop.challenges'] })
  ca = await startCa({ httpPort: 1, dnsServer: names.address })
}, 120_000)
afterAll(async () => {
  await Promise.all([ca?.stop(), names?.stop()])
})

async function issue(hosts: string[], secret = names.tsig.secret) {
  const dns = rfc2136({ server: names.address, tsig: { ...names.tsig, secret }, resolvers: ['127.0.0.1:1'] })
  const challenge: Challenge = {
    kind: 'dns-01',
    put: (name, value) => dns.put(name, value, { signal }),
    remove: (name, value) => dns.remove(name, value, { signal }),
  }
  const target = { directoryUrl: ca.directoryUrl, roots: ca.roots }
  const account = await acme.account(target, { signal })
  return acme.issue(target, { account, hosts, challenge, signal })
}

test('a CA believes it: a wildcard and its parent, which need two values of one name at once', async () => {
  const { chainPem, hosts } = await issue([`*.${ZONE}`, ZONE])
  expect(hosts.toSorted()).toEqual([`*.${ZONE}`, ZONE])
  const certificate = new X509Certificate(chainPem)
  expect(certificate.checkHost(`anything.${ZONE}`)).toBe(`*.${ZONE}`)
  expect(certificate.checkHost(ZONE)).toBe(ZONE)
  expect(await names.txt(`_acme-challenge.${ZONE}`)).toEqual([])
})

test('also where the name is an alias of one in another place', async () => {
  const { chainPem } = await issue([`*.shop.${ZONE}`])
  expect(new X509Certificate(chainPem).checkHost(`a.shop.${ZONE}`)).toBe(`*.shop.${ZONE}`)
  expect(await names.txt(`shop.challenges.${ZONE}`)).toEqual([])
})

test('what the name server says is the reason when there is none', async () => {
  const wrong = Buffer.alloc(32).toString('base64')
  await expect(issue([`*.${ZONE}`], wrong)).rejects.toMatchObject({ driver: 'dns-update', code: 'key_refused' })
})
