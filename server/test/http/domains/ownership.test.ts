import { afterAll, expect, test } from 'vitest'
import { serveNames, type ZoneEntry } from '../../../../test-kit/serve-names.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { claimHosts } from '../../../src/core/domains/names/claim.ts'
import { transaction } from '../../../src/db/database.ts'

const zone: Record<string, ZoneEntry> = {}
const names = await serveNames(zone)
afterAll(() => names.close())
const own = { baseDomain: 'apps.example.net', publicUrl: 'https://console.apps.example.net' }
const world = await startWorld({ dnsServers: [names.server], publicAddresses: ['192.0.2.10'], mode: 'cloud', ...own })
const org = await world.org()
const other = await world.org('Other')

type By = typeof org.owner.api
const project = async (name: string, by: By = org.owner.api) => (await by('POST', '/api/projects', { name })).body.id
const add = (id: string, body: object, by: By = org.owner.api) => by('POST', `/api/projects/${id}/domains`, body)

test('a slash at the end of a path means nothing: one place leads to one service', async () => {
  const id = await project('slashes')
  await add(id, { host: 'slash.example.com' })
  const whole = await add(id, { host: 'slash.example.com', targetPath: '/', port: 9999 })
  expect(whole).toMatchObject({ status: 201, body: { targetPath: null, port: 9999 } })
  for (const targetPath of ['/api', '/api/'])
    expect(await add(id, { host: 'slash.example.com', targetPath, service: 'api' })).toMatchObject({
      body: { targetPath: '/api' },
    })
  const list = async () =>
    (await org.owner.api('GET', `/api/projects/${id}/domains`)).body.data.map(
      ({ targetPath }: { targetPath: string | null }) => targetPath,
    )
  expect(await list()).toEqual([null, '/api'])
  const path = `/api/projects/${id}/domains/slash.example.com`
  expect((await org.owner.api('DELETE', `${path}?targetPath=/api/`)).status).toBe(200)
  expect(await list()).toEqual([null])
  expect((await org.owner.api('DELETE', `${path}?targetPath=/`)).status).toBe(200)
  expect(await list()).toEqual([])
})

test.each(['apps.example.net', '*.apps.example.net', 'console.apps.example.net'])(
  'the name %s is the instance’s own',
  async (host) => {
    zone['_slipway.apps.example.net'] = { TXT: [org.id] }
    const refused = await add(await project(`own ${host.replace('*', 'any')}`), { host })
    expect(refused).toMatchObject({ status: 409, body: { code: 'name_taken', field: 'host' } })
  },
)

test('no project gets the instance’s own name for free, whatever it is called', async () => {
  const id = await project('console')
  const given = { id, orgId: org.id, name: 'console' }
  await transaction(world.platform.db, (tx) => claimHosts(tx, world.platform, given, () => 'web', undefined))
  const { data } = (await org.owner.api('GET', `/api/projects/${id}/domains`)).body
  expect(data).toEqual([expect.objectContaining({ kind: 'free', host: expect.stringMatching(/^console-\w{6}\./) })])
})

test('names around another organization’s verified wildcard are its own, unless their own record says otherwise', async () => {
  zone['_slipway.shop.example.com'] = { TXT: [org.id] }
  expect((await add(await project('wild'), { host: '*.shop.example.com' })).status).toBe(201)
  const theirs = await project('theirs', other.owner.api)
  for (const host of ['pay.shop.example.com', 'shop.example.com'])
    expect(await add(theirs, { host }, other.owner.api)).toMatchObject({ status: 409, body: { code: 'name_taken' } })
  expect((await add(await project('same organization'), { host: 'mine.shop.example.com' })).status).toBe(201)
  expect((await add(theirs, { host: 'pay.deep.shop.example.com' }, other.owner.api)).status).toBe(201)
  zone['_slipway.pay.shop.example.com'] = { TXT: [other.id] }
  expect((await add(theirs, { host: 'pay.shop.example.com' }, other.owner.api)).status).toBe(201)
  // Once theirs, it needs no record to be changed or deployed to.
  zone['_slipway.pay.shop.example.com'] = 'nxdomain'
  expect((await add(theirs, { host: 'pay.shop.example.com', targetPath: '/api' }, other.owner.api)).status).toBe(201)
  const given = { id: theirs, orgId: other.id, name: 'theirs' }
  const endpoints = [{ domainType: 'custom' as const, customDomain: 'pay.shop.example.com' }]
  await transaction(world.platform.db, (tx) => claimHosts(tx, world.platform, given, () => 'web', endpoints))
})

test('two who want the same names in opposite order: one gets all, the other hears that they are taken', async () => {
  for (let round = 0; round < 6; round++) {
    const hosts = Array.from({ length: 30 }, (_, n) => `n${n}.round${round}.example.com`)
    const orders = [hosts, hosts.toReversed()]
    const outcomes = await Promise.allSettled(
      orders.map(async (wanted, n) => {
        const given = { id: await project(`round ${round} ${n}`), orgId: org.id, name: 'x' }
        const endpoints = wanted.map((customDomain) => ({ domainType: 'custom' as const, customDomain }))
        await transaction(world.platform.db, (tx) => claimHosts(tx, world.platform, given, () => 'web', endpoints))
      }),
    )
    const said = outcomes.map((one) => (one.status === 'fulfilled' ? 'has them' : one.reason.code))
    expect(said.sort()).toEqual(['has them', 'name_taken'])
  }
})

test('visitors are never sent around in circles, also when both ways are added at once; and to no name that is gone', async () => {
  for (let round = 0; round < 6; round++) {
    const id = await project(`circle ${round}`)
    const [a, b] = [`a${round}.circle.example.com`, `b${round}.circle.example.com`]
    for (const host of [a, b]) await add(id, { host })
    const both = await Promise.all([add(id, { host: a, redirectTo: b }), add(id, { host: b, redirectTo: a })])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
    const target = both[0].status === 201 ? b : a
    await org.owner.api('DELETE', `/api/projects/${id}/domains/${target}`)
    const { data } = (await org.owner.api('GET', `/api/projects/${id}/domains`)).body
    expect(data).toEqual([expect.objectContaining({ redirectTo: null })])
  }
})

test('who shares an instance learns that a name leads into a network, and not where', async () => {
  zone['db.internal.example.com'] = { A: ['10.9.8.7'] }
  const id = await project('curious')
  await org.owner.api('POST', '/api/servers', { kind: 'local', name: 'here' })
  const { body, text } = await org.owner.api('POST', `/api/projects/${id}/domains/check`, {
    host: 'db.internal.example.com',
  })
  expect(body).toMatchObject({ ok: false, found: { addresses: ['private'] } })
  expect(text).not.toContain('10.9.8.7')
})
