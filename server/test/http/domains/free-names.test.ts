import type { PublicEndpoint } from '@slipway/contract/deployments'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { claimHosts } from '../../../src/core/domains/names/claim.ts'
import { transaction } from '../../../src/db/database.ts'

const world = await startWorld({ baseDomain: 'apps.example.net' })
const org = await world.org()
const { api } = org.owner
const services: Record<number, string> = { 8080: 'web', 9090: 'admin' }

async function project(name: string, restricted = false) {
  const { id } = (await api('POST', '/api/projects', { name })).body
  const given = { id, orgId: org.id, name, restricted }
  return {
    id,
    claim: (endpoints: PublicEndpoint[]) =>
      transaction(world.platform.db, (tx) =>
        claimHosts(tx, world.platform, given, ({ port }) => services[port ?? 8080], endpoints),
      ),
    async names() {
      const { body } = await api('GET', `/api/projects/${id}/domains`)
      return Object.fromEntries(body.data.map((one: { host: string; port: number }) => [one.host, one.port]))
    },
  }
}

test('domain is the label of a free name', async () => {
  const shop = await project('one')
  await shop.claim([{ port: 8080, domain: 'myname', domainType: 'free' }])
  expect(await shop.names()).toEqual({ 'myname.apps.example.net': 8080 })
})

test('several free endpoints have several names, each with its own port', async () => {
  const two = await project('two')
  await two.claim([{ port: 8080 }, { port: 9090 }, { port: 9090, domain: 'back' }])
  const names = { 'two.apps.example.net': 8080, 'two-admin.apps.example.net': 9090, 'back.apps.example.net': 9090 }
  expect(await two.names()).toEqual(names)
  // Said again, they stay what they are.
  await two.claim([{ port: 8080 }, { port: 9090 }])
  expect(await two.names()).toEqual(names)
})

test('two endpoints with the same name are refused, and so is what another project has', async () => {
  const three = await project('three')
  await expect(
    three.claim([
      { port: 8080, domain: 'same' },
      { port: 9090, domain: 'same' },
    ]),
  ).rejects.toMatchObject({
    code: 'invalid_request',
  })
  await expect(three.claim([{ domain: 'myname' }])).rejects.toMatchObject({ code: 'name_taken' })
  expect(await three.names()).toEqual({})
})

test('a credential of one project chooses no label but those of its project', async () => {
  const four = await project('four', true)
  await expect(four.claim([{ domain: 'bank' }])).rejects.toMatchObject({ code: 'project_restricted' })
  await four.claim([{ domain: 'four' }])
  expect(await four.names()).toEqual({ 'four.apps.example.net': null })
})

test('a label that is none is refused', async () => {
  const { id } = await project('five')
  for (const domain of ['not a name !!', 'a.b', '-x', 'X']) {
    const body = { projectId: id, image: 'busybox:1', publicEndpoints: [{ domain }] }
    const { status, body: said } = await api('POST', '/api/deployments/build/access', body)
    expect([domain, status, said.field]).toEqual([domain, 400, 'publicEndpoints.0.domain'])
  }
})
