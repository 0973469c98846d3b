import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { sealRelease } from '../../../src/core/deployments/rows/release.ts'
import { usedVariables } from '../../../src/core/deployments/rows/used-variables.ts'
import { allVariables } from '../../../src/core/projects/settings-store.ts'
import { openVariables } from '../../../src/core/projects/variables.ts'
import { makeDeployment } from '../../deployments/made.ts'

const world = await startWorld()
const org = await world.org()
const { db, keys } = world.platform

type Said = { name: string; value: string; service?: string }
const set = (id: string, ...variables: Said[]) => org.owner.api('PUT', `/api/projects/${id}/variables`, { variables })
const pending = async (id: string) => (await org.owner.api('GET', `/api/projects/${id}/pending-changes`)).body

/** A release that serves, frozen with what the project says at this moment. */
async function release(variables: Said[], isTold = true) {
  const made = await makeDeployment(world, org, { ended: new Date(), active: true })
  const { projectId, id } = made
  if (variables.length > 0) expect((await set(projectId, ...variables)).status).toBe(200)
  const plain = openVariables({ keys }, await allVariables(db, { id: projectId, orgId: org.id }))
  const services = [{ service: 'web', project: projectId, deployment: id, image: 'x', environment: {}, networks: [] }]
  const used = isTold ? { variables: [usedVariables(plain, { services: ['web'], own: [] })] } : {}
  const sealed = sealRelease({ keys }, id, { services: services as never, ...used })
  await db.updateTable('deployment').set({ release: sealed, number: 4 }).where('id', '=', id).execute()
  return made
}

test('what was set or removed since the release was frozen is told by name, and no value of it', async () => {
  const { id, projectId } = await release([
    { name: 'KEPT', value: 'kept-value' },
    { name: 'CHANGED', value: 'first-value' },
    { name: 'GONE', value: 'gone-value' },
  ])
  expect(await pending(projectId)).toEqual({ release: { id, number: 4 }, variables: [] })
  await set(projectId, { name: 'KEPT', value: 'kept-value' }, { name: 'CHANGED', value: 'second-value' })
  await set(projectId, { name: 'NEW', value: 'new-value', service: 'web' })
  expect((await org.owner.api('DELETE', `/api/projects/${projectId}/variables/GONE`)).status).toBe(200)
  const answer = await pending(projectId)
  expect(answer.variables).toEqual([
    { name: 'CHANGED', service: null, scope: 'all', change: 'changed' },
    { name: 'GONE', service: null, scope: 'all', change: 'removed' },
    { name: 'NEW', service: 'web', scope: 'all', change: 'added' },
  ])
  expect(JSON.stringify(answer)).not.toContain('value')
})

test('where nothing serves nothing is pending, and of a release of old it is not known', async () => {
  const { projectId } = await makeDeployment(world, org, { ended: new Date() })
  await set(projectId, { name: 'A', value: 'a' })
  expect(await pending(projectId)).toEqual({ release: null, variables: [] })
  const old = await release([{ name: 'A', value: 'a' }], false)
  expect(await pending(old.projectId)).toEqual({ release: { id: old.id, number: 4 }, variables: null })
})
