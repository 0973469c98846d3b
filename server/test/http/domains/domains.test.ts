import { afterAll, expect, test } from 'vitest'
import { serveNames } from '../../../src/drivers/dns/bench.ts'
import { startWorld } from '../../harness.ts'

const names = await serveNames({
  'right.example.com': { A: ['192.0.2.10'] },
  'wrong.example.com': { A: ['192.0.2.99'] },
  'both.example.com': { A: ['192.0.2.10', '192.0.2.99'] },
})
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
  await api('POST', `/api/projects/${id}/domains`, { host: 'shop.example.com', service: 'api', port: 8080 })
  const { body } = await api('GET', `/api/projects/${id}/domains`)
  expect(body.data).toMatchObject([{ host: 'shop.example.com', service: 'api', port: 8080, targetPath: null }])
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

test.each(['', 'localhost', '192.0.2.1', 'a b.example.com', '*.example.com', `${'a'.repeat(64)}.example.com`])(
  'the name %j is refused',
  async (host) => {
    const id = await project(`refused ${host}`.slice(0, 60))
    expect((await api('POST', `/api/projects/${id}/domains`, { host })).status).toBe(400)
  },
)
