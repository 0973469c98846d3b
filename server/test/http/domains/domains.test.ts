import { afterAll, describe, expect, test } from 'vitest'
import { serveNames, type ZoneEntry } from '../../../../test-kit/serve-names.ts'
import { startWorld } from '../../../../test-kit/world.ts'

const zone: Record<string, ZoneEntry> = {
  'right.example.com': { A: ['192.0.2.10'] },
  'wrong.example.com': { A: ['192.0.2.99'] },
  'both.example.com': { A: ['192.0.2.10', '192.0.2.99'] },
}
const names = await serveNames(zone)
afterAll(() => names.close())
const world = await startWorld({ dnsServers: [names.server], publicAddresses: ['192.0.2.10'] })
const org = await world.org()
const other = await world.org('Other')
const { api } = org.owner

const project = async (name: string, by = api) => (await by('POST', '/api/projects', { name })).body.id
const hosts = async (id: string) =>
  (await api('GET', `/api/projects/${id}/domains`)).body.data.map(({ host }: { host: string }) => host)

test('a name is added, listed, changed and released, each with its audit entry', async () => {
  const id = await project('named')
  const made = await api('POST', `/api/projects/${id}/domains`, { host: 'Shop.Example.COM', targetPath: '/api' })
  expect([made.status, made.body]).toMatchObject([
    201,
    { host: 'shop.example.com', kind: 'custom', service: 'web', port: null, targetPath: '/api', live: false },
  ])
  const api8080 = { host: 'shop.example.com', service: 'api', port: 8080, targetPath: '/api' }
  await api('POST', `/api/projects/${id}/domains`, api8080)
  const { body } = await api('GET', `/api/projects/${id}/domains`)
  expect(body.data).toMatchObject([api8080])
  expect((await api('DELETE', `/api/projects/${id}/domains/shop.example.com`)).status).toBe(200)
  expect((await api('DELETE', `/api/projects/${id}/domains/shop.example.com`)).status).toBe(404)
  expect(await hosts(id)).toEqual([])
  const { body: audit } = await api('GET', '/api/audit?limit=10')
  const acts = audit.data.map(({ action }: { action: string }) => action)
  expect(acts.filter((act: string) => act.startsWith('domain.'))).toEqual(['domain.remove', 'domain.add', 'domain.add'])
})

test('a name belongs to one project of one organization, also when asked for at once; released, anyone may have it', async () => {
  const mine = await project('mine')
  const theirs = await project('theirs', other.owner.api)
  const body = { host: 'taken.example.com' }
  const first = await Promise.all([
    api('POST', `/api/projects/${mine}/domains`, body),
    other.owner.api('POST', `/api/projects/${theirs}/domains`, body),
  ])
  expect(first.map(({ status }) => status).sort()).toEqual([201, 409])
  const [winner, loser] = first[0].status === 201 ? [api, other.owner.api] : [other.owner.api, api]
  const [own, foreign] = first[0].status === 201 ? [mine, theirs] : [theirs, mine]
  expect((await loser('DELETE', `/api/projects/${foreign}/domains/taken.example.com`)).status).toBe(404)
  expect((await winner('DELETE', `/api/projects/${own}/domains/taken.example.com`)).status).toBe(200)
  expect((await loser('POST', `/api/projects/${foreign}/domains`, body)).status).toBe(201)
})

test('a host leads to several services by path; each path goes alone, and the host with the last', async () => {
  const id = await project('by path')
  const add = (more: object) => api('POST', `/api/projects/${id}/domains`, { host: 'paths.example.com', ...more })
  for (const more of [{}, { targetPath: '/api', service: 'api' }, { targetPath: '/api/v2', service: 'v2' }])
    await add(more)
  const list = async () => {
    const { body: first } = await api('GET', `/api/projects/${id}/domains?limit=2`)
    const next =
      first.nextCursor && (await api('GET', `/api/projects/${id}/domains?limit=2&cursor=${first.nextCursor}`))
    const all = [...first.data, ...(next?.body.data ?? [])]
    return all.map(({ targetPath, service }) => `${targetPath ?? ''} ${service}`)
  }
  expect(await list()).toEqual([' web', '/api api', '/api/v2 v2'])
  const path = `/api/projects/${id}/domains/paths.example.com`
  expect((await api('DELETE', `${path}?targetPath=/api`)).status).toBe(200)
  expect((await api('DELETE', `${path}?targetPath=/api`)).status).toBe(404)
  expect(await list()).toEqual([' web', '/api/v2 v2'])
  expect((await api('DELETE', path)).status).toBe(200)
  expect(await list()).toEqual([])
  await add({ targetPath: '/only' })
  expect((await api('DELETE', `${path}?targetPath=/only`)).status).toBe(200)
  const theirs = await project('takes it', other.owner.api)
  expect((await other.owner.api('POST', `/api/projects/${theirs}/domains`, { host: 'paths.example.com' })).status).toBe(
    201,
  )
})

test('pages go on where the last one ended', async () => {
  const id = await project('many')
  for (const n of [1, 2, 3]) await api('POST', `/api/projects/${id}/domains`, { host: `n${n}.example.com` })
  const { body: first } = await api('GET', `/api/projects/${id}/domains?limit=2`)
  const { body: rest } = await api('GET', `/api/projects/${id}/domains?limit=2&cursor=${first.nextCursor}`)
  expect([...first.data, ...rest.data].map(({ host }) => host)).toEqual(
    ['n1', 'n2', 'n3'].map((n) => `${n}.example.com`),
  )
  expect(rest.nextCursor).toBeNull()
})

test.each([
  ['right.example.com', true, 'right.example.com leads here.'],
  ['wrong.example.com', false, 'wrong.example.com leads to 192.0.2.99; set A 192.0.2.10 instead.'],
  [
    'both.example.com',
    false,
    'both.example.com leads here and to 192.0.2.99, too: remove that, and keep A 192.0.2.10.',
  ],
  ['none.example.com', false, 'The name none.example.com does not exist in the domain name system. Set A 192.0.2.10.'],
])('the check of %s says %s, and in one sentence what to do', async (host, ok, message) => {
  await api('POST', '/api/servers', { kind: 'local', name: `here ${host}` })
  const id = await project(`check ${host}`)
  const { status, body } = await api('POST', `/api/projects/${id}/domains/check`, { host })
  expect([status, body.ok, body.message]).toEqual([200, ok, message])
  expect(body.wanted).toEqual(['192.0.2.10'])
})

test('of a name below localhost no record is wanted: it says where the name leads, and what to do instead', async () => {
  await api('POST', '/api/servers', { kind: 'local', name: 'here for localhost' })
  const id = await project('check localhost')
  const { body } = await api('POST', `/api/projects/${id}/domains/check`, { host: 'hello.localhost' })
  expect(body).toMatchObject({ ok: false, wanted: [], found: { addresses: [], cname: [] } })
  expect(body.message).toMatch(/^hello\.localhost leads only to the machine on which it is opened, .* Add a domain;/)
  expect(body.message).toContain('slipway setup install --base-domain apps.example.com')
})

test('an instance that was told no address names the command that tells it', async () => {
  const untold = await startWorld({ dnsServers: [names.server], publicAddresses: [] })
  const { owner } = await untold.org('Untold')
  const { id } = (await owner.api('POST', '/api/projects', { name: 'shop' })).body
  const { body } = await owner.api('POST', `/api/projects/${id}/domains/check`, { host: 'right.example.com' })
  expect(body).toMatchObject({ ok: false, wanted: [] })
  expect(body.message).toContain('slipway setup install --set SLIPWAY_PUBLIC_ADDRESSES=203.0.113.10')
})

test.each([
  '',
  'localhost',
  '192.0.2.1',
  'a b.example.com',
  '*',
  '*.',
  'a.*.example.com',
  '*.*.example.com',
  `${'a'.repeat(64)}.example.com`,
])('the name %j is refused', async (host) => {
  const id = await project(`refused ${host}`.slice(0, 60))
  expect((await api('POST', `/api/projects/${id}/domains`, { host })).status).toBe(400)
})

test('a wildcard needs the TXT record that says whose the names below are', async () => {
  const id = await project('wild')
  const refused = await api('POST', `/api/projects/${id}/domains`, { host: '*.wild.example.com' })
  expect(refused).toMatchObject({ status: 400, body: { code: 'dns_wrong', field: 'host' } })
  expect(refused.body.hint).toContain(`TXT _slipway.wild.example.com to ${org.id}`)
  names.zone['_slipway.wild.example.com'] = { TXT: [other.id, org.id] }
  expect(await api('POST', `/api/projects/${id}/domains`, { host: '*.wild.example.com' })).toMatchObject({
    status: 201,
    body: { host: '*.wild.example.com', kind: 'custom' },
  })
  names.zone['slipway-probe.wild.example.com'] = { A: ['192.0.2.10'] }
  const { body } = await api('POST', `/api/projects/${id}/domains/check`, { host: '*.wild.example.com' })
  expect(body).toMatchObject({ ok: true, txt: { found: true }, message: '*.wild.example.com leads here.' })
  expect((await api('DELETE', `/api/projects/${id}/domains/*.wild.example.com`)).status).toBe(200)
})

test('a name behind a proxy is taken for one that leads here when its TXT record says so', async () => {
  const id = await project('proxied')
  names.zone['_slipway.wrong.example.com'] = { TXT: [org.id] }
  const { body } = await api('POST', `/api/projects/${id}/domains/check`, { host: 'wrong.example.com' })
  expect(body).toMatchObject({ ok: true, txt: { name: '_slipway.wrong.example.com', value: org.id, found: true } })
})

test('a name may send visitors to another one of the project that leads to a service, and nowhere else', async () => {
  const id = await project('paired')
  const add = (more: object) => api('POST', `/api/projects/${id}/domains`, more)
  expect(await add({ host: 'www.pair.example.com', redirectTo: 'pair.example.com' })).toMatchObject({
    status: 400,
    body: { field: 'redirectTo' },
  })
  await add({ host: 'pair.example.com' })
  const paired = await add({ host: 'www.pair.example.com', redirectTo: 'pair.example.com' })
  expect(paired).toMatchObject({ status: 201, body: { redirectTo: 'pair.example.com' } })
  expect((await add({ host: 'w.pair.example.com', redirectTo: 'www.pair.example.com' })).status).toBe(400)
  expect((await add({ host: 'self.example.com', redirectTo: 'self.example.com' })).status).toBe(400)
})

describe('renew', () => {
  const renew = (by: typeof api, domain: string) => by('POST', '/api/deployments/ssl/renew', { domain })

  test('finds no domain that is not of the organization', async () => {
    const id = await project('renewed')
    await api('POST', `/api/projects/${id}/domains`, { host: 'renew.example.com' })
    expect((await renew(other.owner.api, 'renew.example.com')).status).toBe(404)
    expect((await renew(api, 'unknown.example.com')).status).toBe(404)
  })

  test('says so where the instance gets no certificates', async () => {
    expect(await renew(api, 'renew.example.com')).toMatchObject({ status: 400, body: { code: 'not_now' } })
  })

  test('needs a domain', async () => {
    expect((await api('POST', '/api/deployments/ssl/renew', {})).status).toBe(400)
  })
})
