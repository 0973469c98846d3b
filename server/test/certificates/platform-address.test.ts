import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveNames, type ZoneEntry } from '../../../test-kit/serve-names.ts'
import { startWorld } from '../../../test-kit/world.ts'
import { pollDomains } from '../../src/core/domains/certificates/poll-domains.ts'
import { claimAddress } from '../../src/core/domains/names/platform-address.ts'
import { routesOn } from '../../src/core/domains/names/store.ts'
import { withRoutes } from '../../src/core/servers/store.ts'
import { PLATFORM } from '../../src/drivers/edge/edge.ts'
import { startCertificates } from './stage.ts'

const HERE = '192.0.2.10'
const zone: Record<string, ZoneEntry> = { 'slipway.example': { A: [HERE] } }
const names = await serveNames(zone)
const acme = { directoryUrl: 'https://ca.test/dir', caFile: null, contact: null, eab: null }
const world = await startWorld({
  ...{ dnsServers: [names.server], publicAddresses: [HERE], acme },
  ...{ publicUrl: 'https://slipway.example', platformSocket: '/run/slipway/http.sock' },
})
const { owner } = await world.org()
const stranger = (await world.org()).owner
const { db, config, pool } = world.platform
const signal = new AbortController().signal

const authority = {
  ...{ enabled: true, target: async () => ({ directoryUrl: acme.directoryUrl }), contact: [], dns: null },
  newKey: async () => 'key',
  client: {
    account: async () => ({ keyPem: 'key', url: 'https://ca.test/1' }),
    renewalWindow: async () => null,
    issue: async (_: unknown, { hosts }: { hosts: string[] }) => ({
      ...{ chainPem: 'chain', keyPem: 'key', serial: '1', issuer: 'Test CA', hosts },
      ...{ notBefore: new Date(), notAfter: new Date(Date.now() + 90 * 86_400_000) },
    }),
  },
}
const stage = await startCertificates(world, authority)
const address = async () => (await owner.api('GET', '/api/instance/address')).body

let server: string
beforeAll(async () => {
  await claimAddress({ db, config })
  expect(await address()).toMatchObject({ host: 'slipway.example', live: false, message: /Add this machine/ })
  server = (await owner.api('POST', '/api/servers', { kind: 'local', name: 'here' })).body.id
})
afterAll(async () => {
  await stage.stop()
  names.close()
})

test('its name gets a certificate like any other, and leads to the platform from then on and not before', async () => {
  await claimAddress({ db, config })
  await claimAddress({ db, config })
  expect((await withRoutes(db)(null)).map(({ id }) => id)).toEqual([server])
  expect(await routesOn(db, server)).toEqual([])
  await expect
    .poll(async () => {
      await pool.query('update certificate set look_at = now() where run_id is null and not_after is null')
      await pollDomains(stage.parts, signal)
      return address()
    })
    .toMatchObject({ live: true, certificate: { state: 'valid', issuer: 'Test CA' }, dns: { ok: true } })
  expect(stage.installed.get('slipway.example')).toEqual(['chain\nkey'])
  expect(await routesOn(db, server)).toMatchObject([
    { host: 'slipway.example', project: PLATFORM, pathPrefix: null, secure: 'redirect' },
  ])
})

test('no project gets it, whatever its records say', async () => {
  for (const { api } of [owner, stranger]) {
    const { body } = await api('POST', '/api/projects', { name: 'wants-it' })
    const added = await api('POST', `/api/projects/${body.id}/domains`, { host: 'slipway.example' })
    expect([added.status, added.body.code]).toEqual([409, 'name_taken'])
  }
})

test('another name takes its place, certificate and all, and none is claimed that has no certificate to come', async () => {
  await claimAddress({ db, config: { ...config, publicUrl: 'https://other.example' } })
  const { rows } = await pool.query(
    "select h.host, c.serial from host_name h join certificate c using (host) where kind = 'platform'",
  )
  expect(rows).toEqual([{ host: 'other.example', serial: null }])
  for (const publicUrl of ['http://other.example', 'https://192.0.2.10', 'https://localhost'])
    await claimAddress({ db, config: { ...config, publicUrl } })
  expect(await address()).toMatchObject({ live: false })
  expect((await pool.query("select 1 from host_name where kind = 'platform'")).rowCount).toBe(0)
})
