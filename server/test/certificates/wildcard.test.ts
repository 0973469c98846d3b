import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCa, type TestCa } from '../../../lab/ca/start.ts'
import { startNameServer, type TestNameServer } from '../../../lab/dns/start.ts'
import { startWorld } from '../../../test-kit/world.ts'
import { pollDomains } from '../../src/core/domains/certificates/poll-domains.ts'
import { acmeClient } from '../../src/drivers/acme/client.ts'
import { newKey } from '../../src/drivers/acme/key.ts'
import { dnsResolver } from '../../src/drivers/dns/resolver.ts'
import { rfc2136 } from '../../src/drivers/dns-update/rfc2136.ts'
import { startCertificates } from './stage.ts'

// A real CA that asks a real name server, which is told by dynamic updates; the edge only writes down what it is given.
const HERE = '192.0.2.10'
const HOST = '*.shop.example.test'
const acme = { directoryUrl: 'https://ca.test/dir', caFile: null, contact: null, eab: null }
const world = await startWorld({ publicAddresses: [HERE], acme })
const org = await world.org()
const { api } = org.owner
let knot: TestNameServer
let ca: TestCa
let stage: Awaited<ReturnType<typeof startCertificates>>

beforeAll(async () => {
  const records = [`*.shop A ${HERE}`, `_slipway.shop TXT ${org.id}`]
  knot = await startNameServer({ zone: 'example.test', records })
  ca = await startCa({ httpPort: 1, dnsServer: knot.address })
  const dns = dnsResolver({ servers: [knot.address] })
  Object.assign(world.platform, { dns })
  stage = await startCertificates(world, {
    enabled: true,
    client: acmeClient(),
    target: async () => ({ directoryUrl: ca.directoryUrl, roots: ca.roots }),
    contact: [],
    newKey,
    dns: rfc2136({ server: knot.address, tsig: knot.tsig, resolvers: [knot.address] }),
  })
  await api('POST', '/api/servers', { kind: 'local', name: 'here' })
}, 120_000)
afterAll(async () => {
  await stage?.stop()
  await ca?.stop()
  await knot?.stop()
})

test('a wildcard of a verified parent gets its certificate by records that are gone afterwards', async () => {
  const project = await stage.named(org, HOST)
  const domain = await stage.until(api, project, 'valid', (parts) => pollDomains(parts, new AbortController().signal))
  expect(domain.dns).toMatchObject({ ok: true, txt: { found: true } })
  const [pem = ''] = stage.installed.get(HOST) ?? []
  expect(new X509Certificate(pem).subjectAltName).toBe(`DNS:${HOST}`)
  expect(await knot.txt('_acme-challenge.shop.example.test')).toEqual([])
}, 60_000)
