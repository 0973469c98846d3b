import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveNames } from '../../../../test-kit/serve-names.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { routesOn, secured } from '../../../src/core/domains/names/store.ts'
import { newId } from '../../../src/db/ids.ts'

// Where the edge sends visitors of a name, and where a name is to lead.
const names = await serveNames({})
afterAll(() => names.close())
const acme = { directoryUrl: 'https://ca.test/dir', caFile: null, contact: null, eab: null }
const world = await startWorld({ dnsServers: [names.server], publicAddresses: ['192.0.2.10'], acme })
const org = await world.org()
const other = await world.org('Other')
const { api } = org.owner
const { db, pool } = world.platform
const project = async (name: string, by = api) => (await by('POST', '/api/projects', { name })).body.id as string
const add = (id: string, body: object, by = api) => by('POST', `/api/projects/${id}/domains`, body)
let server = ''
beforeAll(async () => {
  server = (await api('POST', '/api/servers', { kind: 'local', name: 'here' })).body.id
})

/** A project whose release the names lead to. */
async function live(name: string, hosts: object[]) {
  const id = await project(name)
  for (const one of hosts) expect((await add(id, one)).status).toBe(201)
  const routes = hosts.map((one) => ({ ...one, service: 'web', port: 80 }))
  await pool.query(
    `insert into deployment (id, org_id, project_id, server_id, number, status, trigger, source, request, created_by, routed, active, routes)
     values ($1, $2, $3, $4, 1, 'ready', 'api', '{}', '{}', '{}', true, true, $5)`,
    [newId('dep'), org.id, id, server, JSON.stringify(routes)],
  )
  return id
}
const certified = (id: string, until: string) =>
  pool.query(
    `update certificate set installed = 'x', serial = 'x', not_after = now() + $2::interval where project_id = $1`,
    [id, until],
  )
const secureOf = async (id: string) =>
  Object.fromEntries((await routesOn(db, server, id)).map(({ host, secure }) => [host.split('.')[0], secure]))

test('visitors are sent to https as was asked for, and only while there is a certificate that is good', async () => {
  const id = await live('https', [
    { host: 'usual.example.com' },
    { host: 'strict.example.com', https: 'hsts' },
    { host: 'offered.example.com', https: 'offered' },
  ])
  const nobody = { usual: null, strict: null, offered: null }
  expect([await secureOf(id), await secured(db, id)]).toEqual([nobody, new Set()])
  await certified(id, '1 day')
  expect(await secureOf(id)).toEqual({ usual: 'redirect', strict: 'hsts', offered: null })
  expect((await secured(db, id)).size).toBe(3)
  const shown = (await api('GET', `/api/projects/${id}/domains`)).body.data
  expect(shown.map(({ https }: { https: string }) => https)).toEqual(['offered', 'hsts', 'redirect'])
  await certified(id, '-1 minute')
  expect([await secureOf(id), await secured(db, id)]).toEqual([nobody, new Set()])
})

test('a name that sends its visitors on sends them to https when the other has a good certificate', async () => {
  const id = await live('pair', [
    { host: 'pair.example.com' },
    { host: 'www.pair.example.com', redirectTo: 'pair.example.com' },
  ])
  const onward = async () => (await routesOn(db, server, id)).map(({ redirectTo }) => redirectTo)
  expect(await onward()).toEqual([null, { host: 'pair.example.com', https: false }])
  await certified(id, '1 day')
  expect(await onward()).toEqual([null, { host: 'pair.example.com', https: true }])
  await certified(id, '-1 minute')
  expect(await onward()).toEqual([null, { host: 'pair.example.com', https: false }])
})

test('a name that went to another project leads nowhere from here', async () => {
  const id = await live('before', [{ host: 'stays.example.com' }, { host: 'goes.example.com' }])
  await api('DELETE', `/api/projects/${id}/domains/goes.example.com`)
  expect((await add(await project('after'), { host: 'goes.example.com' })).status).toBe(201)
  expect((await routesOn(db, server, id)).map(({ host }) => host)).toEqual(['stays.example.com'])
  expect((await routesOn(db, server)).map(({ host }) => host)).not.toContain('goes.example.com')
})

test('nobody releases a path of a name that is of another project', async () => {
  const theirs = await project('theirs', other.owner.api)
  await add(theirs, { host: 'theirs.example.com', targetPath: '/api' }, other.owner.api)
  const mine = await project('mine')
  const path = `/api/projects/${mine}/domains/theirs.example.com?targetPath=/api`
  expect((await api('DELETE', path)).status).toBe(404)
  expect((await other.owner.api('GET', `/api/projects/${theirs}/domains`)).body.data).toHaveLength(1)
})

test('a name is to lead to the server that its project is on, and to no other', async () => {
  const made = await api('POST', '/api/servers', { kind: 'ssh', name: 'far', host: '192.0.2.20' })
  const id = await project('far away')
  await pool.query('update project set server_id = $1 where id = $2', [made.body.id, id])
  names.zone['far.example.com'] = { A: ['192.0.2.10'] }
  const check = async () => (await api('POST', `/api/projects/${id}/domains/check`, { host: 'far.example.com' })).body
  expect(await check()).toMatchObject({ ok: false, wanted: ['192.0.2.20'] })
  names.zone['far.example.com'] = { A: ['192.0.2.20'] }
  expect(await check()).toMatchObject({ ok: true })
})

test.each([
  ['a name without an address', 'empty.example.com', {}],
  ['a wildcard that leads elsewhere', '*.away.example.com', { 'slipway-probe.away.example.com': ['192.0.2.99'] }],
])('the TXT record alone does not make %s lead here', async (_, host, leads) => {
  const id = await project(`txt ${host.replace('*', 'any')}`)
  await pool.query('update project set server_id = $1 where id = $2', [server, id])
  names.zone[`_slipway.${host.replace('*.', '')}`] = { TXT: [org.id] }
  for (const [name, A] of Object.entries(leads)) names.zone[name] = { A }
  const { body } = await api('POST', `/api/projects/${id}/domains/check`, { host })
  expect(body).toMatchObject({ ok: false, txt: { found: true } })
})

test('a TXT record that names others proves nothing', async () => {
  const id = await project('not mine')
  names.zone['_slipway.foreign.example.com'] = { TXT: [other.id, `${org.id}0`, ''] }
  names.zone['foreign.example.com'] = { A: ['192.0.2.99'] }
  expect((await add(id, { host: '*.foreign.example.com' })).body.code).toBe('dns_wrong')
  const { body } = await api('POST', `/api/projects/${id}/domains/check`, { host: 'foreign.example.com' })
  expect(body).toMatchObject({ ok: false, txt: { found: false } })
})
