import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { neededImages } from '../../../src/core/deployments/release/images.ts'
import * as store from '../../../src/core/deployments/rows/store.ts'
import { makeDeployment } from '../../deployments/made.ts'

const world = await startWorld()
const org = await world.org()
const { db } = world.platform
const COMMIT = 'eb19a0d0eb19a0d0eb19a0d0eb19a0d0eb19a0d0'
const GIT = { kind: 'git', repo: 'https://git.example/a.git', branch: 'main' } as const

/** A deployment that ended, with what it was made from and asked for. */
async function ended(source: object, request: object) {
  const made = await makeDeployment(world, org, { ended: new Date() })
  const row = { source: JSON.stringify(source), request: JSON.stringify({ buildStrategy: 'auto', ...request }) }
  await db.updateTable('deployment').set(row).where('id', '=', made.id).execute()
  return made
}
const redeploy = (id: string, body = {}) => org.owner.api('POST', `/api/deployments/${id}/redeploy`, body)
const submitted = (id: string) => store.load(db, org.id, id)

test.each([
  ['is itself a rollback', { rollbackOf: 'dep_00000000000000000000000000' }],
  ['was made of one exact commit', { useCommit: COMMIT }],
])('redeploying what %s builds the latest commit', async (_, request) => {
  const { id } = await ended({ ...GIT, commitSha: COMMIT, commitMessage: 'one' }, request)
  const { status, body } = await redeploy(id)
  expect(status).toBe(201)
  const made = await submitted(body.deployment_id)
  expect([made.source, made.request]).toEqual([GIT, { buildStrategy: 'auto' }])
})

test('redeploy and rollback answer with the deployment as it begins', async () => {
  const { id } = await makeDeployment(world, org, { ended: new Date() })
  for (const verb of ['redeploy', 'rollback']) {
    const { status, body } = await org.owner.api('POST', `/api/deployments/${id}/${verb}`)
    expect([status, body.success]).toEqual([verb === 'redeploy' ? 201 : 202, true])
    expect(body.deployment).toMatchObject({ id: body.deployment_id, projectId: body.project_id, trigger: verb })
    expect(body.deployment.status).toBe('queued')
  }
})

test('redeploying with useExistingCommit builds that commit again, and its message stays', async () => {
  const { id } = await ended({ ...GIT, commitSha: COMMIT, commitMessage: 'one' }, {})
  const { body } = await redeploy(id, { useExistingCommit: true })
  const made = await submitted(body.deployment_id)
  expect(made.source).toEqual({ ...GIT, commitMessage: 'one' })
  expect(made.request).toEqual({ buildStrategy: 'auto', useCommit: COMMIT })
})

test('where no commit was ever recorded, useExistingCommit is refused', async () => {
  const { id } = await ended(GIT, {})
  const { status, body } = await redeploy(id, { useExistingCommit: true })
  expect([status, body.success]).toEqual([400, false])
})

test('the image of the active release stays, whatever is said of that release', async () => {
  const { id, projectId } = await makeDeployment(world, org, { ended: new Date(), active: true })
  await db
    .updateTable('deployment')
    .set({ status: 'failed', images: ['only:1'] })
    .where('id', '=', id)
    .execute()
  expect([...(await neededImages(db, org.id, projectId))]).toEqual(['only:1'])
})
