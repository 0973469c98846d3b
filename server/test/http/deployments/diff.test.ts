import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { sealRelease } from '../../../src/core/deployments/rows/release.ts'
import { makeDeployment } from '../../deployments/made.ts'

const world = await startWorld()
const org = await world.org()
const other = await world.org('Other')
const { db, keys } = world.platform

async function release(image: string, more: Record<string, unknown> = {}) {
  const made = await makeDeployment(world, org, { ended: new Date() })
  const service = { service: 'web', project: made.projectId, deployment: made.id, image, environment: {}, networks: [] }
  const sealed = sealRelease({ keys }, made.id, { services: [service as never] })
  await db
    .updateTable('deployment')
    .set({ release: sealed, ...more } as never)
    .where('id', '=', made.id)
    .execute()
  return made
}
const diff = (id: string, query = '', by = org.owner.api) => by('GET', `/api/deployments/${id}/diff${query}`)

test('of two that are named, of one and what serves, and of what serves and the one before', async () => {
  const old = await release('web:1')
  const routes = JSON.stringify([{ host: 'a.example.com', pathPrefix: null, service: 'web', port: 80 }])
  const now = await release('web:2', { projectId: old.projectId, number: 7, active: true, tookOver: old.id, routes })
  const expected = {
    from: { id: old.id, number: 0 },
    to: { id: now.id, number: 7 },
    services: [expect.objectContaining({ name: 'web', change: 'changed', image: { from: 'web:1', to: 'web:2' } })],
    hosts: { added: ['a.example.com'], removed: [] },
  }
  expect((await diff(old.id, `?to=${now.id}`)).body).toEqual(expected)
  expect((await diff(old.id)).body).toEqual(expected)
  expect((await diff(now.id)).body).toEqual(expected)
})

test('of one on its way, from what serves to it, and no name is gone that it has not got yet', async () => {
  const routes = JSON.stringify([{ host: 'b.example.com', pathPrefix: null, service: 'web', port: 80 }])
  const now = await release('web:1', { number: 1, active: true, routes })
  const next = await release('web:2', { projectId: now.projectId, number: 2, status: 'deploying', finishedAt: null })
  expect((await diff(next.id)).body).toMatchObject({
    from: { number: 1 },
    to: { number: 2 },
    services: [{ image: { from: 'web:1', to: 'web:2' } }],
    hosts: { added: [], removed: [] },
  })
})

test('one that never came to a release, one of another project and one of another organization are refused', async () => {
  const [one, elsewhere] = [await release('web:1'), await release('web:1')]
  const built = await makeDeployment(world, org, { ended: new Date() })
  await db
    .updateTable('deployment')
    .set({ projectId: one.projectId, number: 9 } as never)
    .where('id', '=', built.id)
    .execute()
  expect((await diff(one.id, `?to=${built.id}`)).body).toMatchObject({ code: 'not_now' })
  expect((await diff(one.id, `?to=${elsewhere.id}`)).body).toMatchObject({ code: 'invalid_request', field: 'to' })
  expect((await diff(one.id)).body).toMatchObject({ code: 'not_found' })
  expect((await diff(one.id, '', other.owner.api)).status).toBe(404)
})
