import type { Overview } from '@slipway/contract/overview'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { makeDeployment } from '../../deployments/made.ts'

const world = await startWorld()
const { db } = world.platform
const overview = async (by: { api: (method: string, path: string) => Promise<{ body: unknown }> }) =>
  (await by.api('GET', '/api/overview')).body as Overview
const set = (id: string, values: object) =>
  db
    .updateTable('deployment')
    .set(values as never)
    .where('id', '=', id)
    .execute()

test('an organization without anything has nothing that needs somebody', async () => {
  const { owner } = await world.org('Empty')
  expect(await overview(owner)).toEqual({
    projects: { total: 0, serving: 0 },
    deployments: { queued: 0, running: 0, waiting: 0 },
    servers: { total: 0, unwell: 0 },
    attention: [],
  })
})

test('what serves, runs, waits, failed, cannot be known or is not well is told, and nothing of others', async () => {
  const org = await world.org()
  const other = await world.org('Other')
  await makeDeployment(world, other)
  await makeDeployment(world, org, { ended: new Date(), active: true })
  await makeDeployment(world, org)
  const waits = await makeDeployment(world, org)
  await set(waits.id, { waitingOn: JSON.stringify({ kind: 'decision' }), status: 'partial_failure' })
  const failed = await makeDeployment(world, org, { ended: new Date() })
  const error = { code: 'x', step: null, service: null, message: 'It ended with code 1.', hint: null, logSeq: null }
  await set(failed.id, { status: 'failed', error: JSON.stringify(error) })
  const moved = await makeDeployment(world, org, { ended: new Date(), active: true })
  await set(moved.id, { engineId: 'one' })
  const { serverId } = await db
    .selectFrom('deployment')
    .select('serverId')
    .where('id', '=', moved.id)
    .executeTakeFirstOrThrow()
  const checks = [{ name: 'disk', state: 'failed', found: 'The disk is full.', fix: null }]
  const lastReport = JSON.stringify({ ok: false, checkedAt: '2026-01-01T00:00:00.000Z', checks })
  await db
    .updateTable('server')
    .set({ engineId: 'another', lastReport } as never)
    .where('id', '=', serverId)
    .execute()
  const { attention, ...numbers } = await overview(org.owner)
  expect(numbers).toEqual({
    projects: { total: 5, serving: 2 },
    deployments: { queued: 0, running: 1, waiting: 1 },
    servers: { total: 5, unwell: 1 },
  })
  expect(attention.map(({ kind, deployment, message }) => [kind, deployment?.id, message]).sort()).toEqual([
    ['failed', failed.id, 'It ended with code 1.'],
    ['server', undefined, 'The disk is full.'],
    ['unknown', moved.id, expect.stringContaining('another engine')],
    ['waits', waits.id, 'It waits for somebody.'],
  ])
})

test('a failure that was mended by a newer deployment needs nobody, and a token of one project sees that one alone', async () => {
  const org = await world.org('Mended')
  const failed = await makeDeployment(world, org, { ended: new Date() })
  await set(failed.id, { status: 'failed' })
  const newer = await makeDeployment(world, org, { ended: new Date(), active: true })
  await set(newer.id, { projectId: failed.projectId, number: 2 })
  const bad = await makeDeployment(world, org, { ended: new Date() })
  await set(bad.id, { status: 'failed' })
  expect((await overview(org.owner)).attention.map((one) => one.deployment?.id)).toEqual([bad.id])
  const token = await world.tokenFor(org.owner, { projectId: failed.projectId })
  expect(await overview({ api: world.as(token) })).toMatchObject({
    projects: { total: 1, serving: 1 },
    servers: { total: 0 },
    attention: [],
  })
})
