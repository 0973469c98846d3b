import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { makeDeployment } from '../../deployments/made.ts'
import { unknownId } from '../../matrix/places.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const { db } = world.platform

const planOf = (id: string, by = api) => by('GET', `/api/deployments/${id}/rollback-plan`)

test('a deployment of another organization and one that does not exist have no rollback plan: 404', async () => {
  const { id } = await makeDeployment(world, org, { ended: new Date() })
  const other = await world.org()
  expect((await planOf(id, other.owner.api)).status).toBe(404)
  expect((await planOf(unknownId('dep'))).status).toBe(404)
})

test('what cannot be rolled back to has no rollback plan: 400', async () => {
  const { id } = await makeDeployment(world, org)
  expect(await planOf(id)).toMatchObject({ status: 400, body: { success: false, code: 'not_now' } })
})

test('a dry run refuses what a deployment refuses, and leaves nothing behind', async () => {
  const { id: projectId } = (await api('POST', '/api/projects', { name: 'dry' })).body
  const body = { projectId, services: [{ name: 'web', port: 8080 }], dryRun: true }
  const refused = await api('POST', '/api/deployments/build/access', body)
  expect(refused).toMatchObject({ status: 400, body: { code: 'no_source' } })
  expect(await api('POST', '/api/deployments/build/access', { ...body, dryRun: 'yes' })).toMatchObject({
    ...{ status: 400, body: { field: 'dryRun' } },
  })
  const of = { services: await api('GET', `/api/projects/${projectId}/services`) }
  expect(of.services.body.data).toEqual([])
  const rows = await db.selectFrom('deployment').select('id').where('projectId', '=', projectId).execute()
  expect(rows).toEqual([])
})
