import { afterAll, expect, test } from 'vitest'
import { serveNames, type ZoneEntry } from '../../../../test-kit/serve-names.ts'
import type { Org } from '../../../../test-kit/world.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { claimHosts } from '../../../src/core/domains/names/claim.ts'
import { namesAbove } from '../../../src/core/domains/names/standing.ts'
import { transaction } from '../../../src/db/database.ts'

/** Names that others could take before, below or instead of whose they are. */
const zone: Record<string, ZoneEntry> = {}
const names = await serveNames(zone)
afterAll(() => names.close())
const own = { baseDomain: 'apps.example.net', publicUrl: 'https://console.example.org' }
const world = await startWorld({ dnsServers: [names.server], publicAddresses: ['192.0.2.10'], mode: 'cloud', ...own })
const squatter = await world.org('Squatter')
const owner = await world.org('Owner')

let n = 0
const project = async (org: Org, name = `project ${++n}`) =>
  (await org.owner.api('POST', '/api/projects', { name })).body.id
const add = (api: Org['owner']['api'], id: string, host: string, more: object = {}) =>
  api('POST', `/api/projects/${id}/domains`, { host, ...more })
const hosts = async (org: Org, id: string) =>
  (await org.owner.api('GET', `/api/projects/${id}/domains`)).body.data.map(({ host }: { host: string }) => host)
const leadsHere = (host: string) =>
  world.platform.pool.query('update certificate set dns_ok = true where host = $1', [host])

test('a TXT record wins over a claim without one; the loser hears of it, and keeps nothing of the name', async () => {
  const squatted = await project(squatter)
  const id = await project(owner)
  expect((await add(squatter.owner.api, squatted, 'www.victim.example')).status).toBe(201)
  await world.platform.pool.query(
    `update certificate set pem_sealed = 'x', serial = '1' where host = 'www.victim.example'`,
  )
  const refused = await add(owner.owner.api, id, 'www.victim.example')
  expect([refused.status, refused.body.code]).toEqual([409, 'name_taken'])
  expect(refused.body.hint).toContain(`TXT _slipway.www.victim.example to ${owner.id}`)
  zone['_slipway.www.victim.example'] = { TXT: [owner.id] }
  expect((await add(owner.owner.api, id, 'www.victim.example')).status).toBe(201)
  expect([await hosts(owner, id), await hosts(squatter, squatted)]).toEqual([['www.victim.example'], []])
  const { rows } = await world.platform.pool.query(
    `select org_id, pem_sealed from certificate where host = 'www.victim.example'`,
  )
  expect(rows).toEqual([{ org_id: owner.id, pem_sealed: null }])
  const lost = (await squatter.owner.api('GET', '/api/audit?action=domain.lost')).body.data
  expect(lost).toMatchObject([{ target: squatted, detail: { host: 'www.victim.example' } }])
  expect((await add(squatter.owner.api, squatted, 'www.victim.example')).body.code).toBe('name_taken')
})

test('whoever has a name and the record for it keeps it, whatever else the record says', async () => {
  zone['_slipway.www.both.example'] = { TXT: [owner.id, squatter.id] }
  const id = await project(owner)
  await add(owner.owner.api, id, 'www.both.example')
  expect((await add(squatter.owner.api, await project(squatter), 'www.both.example')).status).toBe(409)
  expect(await hosts(owner, id)).toEqual(['www.both.example'])
})

test('the answer for a name that another organization has tells neither that nor who', async () => {
  await add(owner.owner.api, await project(owner), 'taken.example')
  zone['_slipway.near.example'] = { TXT: [owner.id] }
  await add(owner.owner.api, await project(owner), '*.near.example')
  const id = await project(squatter)
  const said = []
  for (const host of ['taken.example', 'x.near.example']) {
    const { status, body } = await add(squatter.owner.api, id, host)
    said.push([status, body.error.replace(host, 'HOST'), body.hint.replace(host, 'HOST')])
    expect(JSON.stringify(body)).not.toMatch(/another|Owner/)
  }
  expect(said[1]).toEqual(said[0])
})

test('names below another organization’s name that leads here need a record of their own', async () => {
  await add(owner.owner.api, await project(owner), 'shop.below.example')
  const id = await project(squatter)
  expect((await add(squatter.owner.api, id, 'early.shop.below.example')).status).toBe(201)
  await leadsHere('shop.below.example')
  for (const host of ['pay.shop.below.example', 'a.b.shop.below.example'])
    expect((await add(squatter.owner.api, id, host)).body.code).toBe('name_taken')
  zone['_slipway.pay.shop.below.example'] = { TXT: [squatter.id] }
  expect((await add(squatter.owner.api, id, 'pay.shop.below.example')).status).toBe(201)
  expect((await add(owner.owner.api, await project(owner), 'api.shop.below.example')).status).toBe(201)
})

test('a suffix that somebody merely names stands in nobody’s way', async () => {
  expect(namesAbove('a.b.co.uk')).toEqual(['b.co.uk', 'co.uk'])
  await add(squatter.owner.api, await project(squatter), 'co.example')
  expect((await add(owner.owner.api, await project(owner), 'honest.co.example')).status).toBe(201)
})

test('a credential of one project gets no name below another project’s, a person who may speak for both does', async () => {
  const [first, second] = [await project(owner), await project(owner)]
  await add(owner.owner.api, first, 'shop.inside.example')
  const api = world.as(await world.tokenFor(owner.owner, { projectId: second }))
  const refused = await add(api, second, 'admin.shop.inside.example')
  expect([refused.status, refused.body.code]).toEqual([403, 'project_restricted'])
  const given = { id: second, orgId: owner.id, name: 'x', restricted: true }
  const endpoints = [{ domainType: 'custom' as const, customDomain: 'admin.shop.inside.example' }]
  const claimed = transaction(world.platform.db, (tx) => claimHosts(tx, world.platform, given, () => 'web', endpoints))
  await expect(claimed).rejects.toMatchObject({ code: 'project_restricted' })
  expect((await add(owner.owner.api, second, 'admin.shop.inside.example')).status).toBe(201)
})

test('free names go by the names of projects: nobody takes the one of a project that is yet to come, nor one below another’s', async () => {
  const id = await project(owner, 'Shop')
  const given = { id, orgId: owner.id, name: 'Shop' }
  await transaction(world.platform.db, (tx) => claimHosts(tx, world.platform, given, () => 'web', undefined))
  expect(await hosts(owner, id)).toEqual(['shop.apps.example.net'])
  const mallory = await project(squatter, 'mallory')
  for (const host of [
    'bank.apps.example.net',
    'shop-admin.apps.example.net',
    'login.shop.apps.example.net',
    'mallorys.apps.example.net',
  ])
    expect([host, (await add(squatter.owner.api, mallory, host)).body.code]).toEqual([host, 'name_taken'])
  for (const host of ['mallory.apps.example.net', 'mallory-web.apps.example.net', 'deep.mallory.apps.example.net'])
    expect([host, (await add(squatter.owner.api, mallory, host)).status]).toEqual([host, 201])
  // With a name below it, the one above is the project's too, before anybody else of that name comes.
  const fresh = await project(squatter, 'fresh')
  expect((await add(squatter.owner.api, fresh, 'deep.fresh.apps.example.net')).status).toBe(201)
  expect((await hosts(squatter, fresh)).toSorted()).toEqual(['deep.fresh.apps.example.net', 'fresh.apps.example.net'])
  const later = await project(owner, 'bank')
  await transaction(world.platform.db, (tx) =>
    claimHosts(tx, world.platform, { id: later, orgId: owner.id, name: 'bank' }, () => 'web', undefined),
  )
  expect(await hosts(owner, later)).toEqual(['bank.apps.example.net'])
})

test('a project has at most a hundred names, also when they are added at once', async () => {
  const id = await project(owner)
  const all = Array.from({ length: 110 }, (_, i) => `n${i}.many.example`)
  for (let from = 0; from < 90; from += 30)
    await Promise.all(all.slice(from, from + 30).map((host) => add(owner.owner.api, id, host)))
  const last = await Promise.all(all.slice(90).map((host) => add(owner.owner.api, id, host)))
  expect(last.filter(({ status }) => status === 201)).toHaveLength(10)
  expect(last.find(({ status }) => status !== 201)?.body).toMatchObject({ code: 'too_large', field: 'host' })
  const given = { id, orgId: owner.id, name: 'x' }
  const endpoints = [{ domainType: 'custom' as const, customDomain: 'one-more.example' }]
  const claimed = transaction(world.platform.db, (tx) => claimHosts(tx, world.platform, given, () => 'web', endpoints))
  await expect(claimed).rejects.toMatchObject({ code: 'too_large' })
}, 120_000)
