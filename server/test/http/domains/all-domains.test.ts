import type { ListedDomain } from '@slipway/contract/domains'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { makeDeployment } from '../../deployments/made.ts'

const acme = { directoryUrl: 'https://acme.invalid/directory', caFile: null, contact: null, eab: null }
const world = await startWorld({ acme, dnsServers: ['127.0.0.1:9'] })
const { db } = world.platform
const org = await world.org()
const other = await world.org('Other')
const { api } = org.owner

const add = async (id: string, host: string, more: object = {}, by = api) =>
  expect((await by('POST', `/api/projects/${id}/domains`, { host, ...more })).status).toBe(201)
const project = async (name: string, by = api): Promise<string> => (await by('POST', '/api/projects', { name })).body.id
const placeOf = ({ host, targetPath, project }: ListedDomain) => `${host}${targetPath ?? ''} ${project.name}`

async function pages(by = api, query = 'limit=2'): Promise<ListedDomain[]> {
  const seen: ListedDomain[] = []
  let cursor: string | null = null
  do {
    const { status, body } = await by('GET', `/api/domains?${query}${cursor ? `&cursor=${cursor}` : ''}`)
    expect(status).toBe(200)
    seen.push(...body.data)
    cursor = body.nextCursor
  } while (cursor)
  return seen
}

const shop = await project('shop')
const { id: deployment, projectId: docs } = await makeDeployment(world, org, { ended: new Date(), active: true })
await api('PATCH', `/api/projects/${docs}`, { name: 'docs' })
for (const more of [{}, { targetPath: '/api' }, { targetPath: '/api/v2' }]) await add(shop, 'b.example.com', more)
await add(docs, 'a.example.com')
await add(docs, 'c.example.com')
await add(shop, 'd.example.com')
await add(await project('theirs', other.owner.api), 'b2.example.com', {}, other.owner.api)
const routes = JSON.stringify([{ host: 'a.example.com', pathPrefix: null, service: 'web', port: 80, also: null }])
await db.updateTable('deployment').set({ routed: true, routes }).where('id', '=', deployment).execute()

test('the names of all projects are listed by name and path, each with its project, in pages without a gap', async () => {
  expect((await pages()).map(placeOf)).toEqual([
    'a.example.com docs',
    'b.example.com shop',
    'b.example.com/api shop',
    'b.example.com/api/v2 shop',
    'c.example.com docs',
    'd.example.com shop',
  ])
})

test('each is told as the list of its project tells it', async () => {
  const all = await pages()
  for (const id of [shop, docs]) {
    const { data } = (await api('GET', `/api/projects/${id}/domains`)).body
    const ofProject = all.filter((one) => one.project.id === id)
    expect(ofProject.map(({ project: _, ...domain }) => domain)).toEqual(data)
  }
  const told = all.map(({ host, live, certificate }) => [host, live, certificate?.reason ?? null])
  expect(told).toContainEqual(['a.example.com', true, null])
  expect(told).toContainEqual(['c.example.com', false, expect.stringContaining('is being led to the active release')])
  expect(told).toContainEqual(['d.example.com', false, expect.stringContaining('has no active release')])
})

test('one project is asked for by its id, and a token of one project sees the names of that one alone', async () => {
  const ofDocs = ['a.example.com docs', 'c.example.com docs']
  expect((await pages(api, `limit=1&projectId=${docs}`)).map(placeOf)).toEqual(ofDocs)
  const restricted = world.as(await world.tokenFor(org.owner, { projectId: docs }))
  expect((await pages(restricted)).map(placeOf)).toEqual(ofDocs)
  expect(await pages(restricted, `projectId=${shop}`)).toEqual([])
  expect(await pages(other.owner.api, `projectId=${shop}`)).toEqual([])
})

test('the name of the platform itself is no name of a project', async () => {
  await db
    .insertInto('hostName')
    .values({ host: 'a2.example.com', orgId: org.id, projectId: null, kind: 'platform' })
    .execute()
  await db
    .insertInto('hostPath')
    .values({ host: 'a2.example.com', pathPrefix: '', service: 'server', port: 1 })
    .execute()
  expect((await pages()).map(({ host }) => host)).not.toContain('a2.example.com')
})
