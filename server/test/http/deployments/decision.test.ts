import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { sealRelease } from '../../../src/core/deployments/rows/release.ts'
import { DriverFailure } from '../../../src/errors.ts'
import { makeDeployment } from '../../deployments/made.ts'

const world = await startWorld()
const org = await world.org()
const other = await world.org('Other')
const { db, keys, runtime, edge } = world.platform
runtime.snapshot = async () => {
  throw new DriverFailure('engine', 'engine_timeout', 'It did not answer.', { hint: 'Look at it.' })
}
edge.state = async () => []

type Service = { service: string; status?: string; volume?: string; deployment?: string }
const specOf = (project: string, { service, deployment, volume }: Service, id: string) => ({
  ...{ service, project, deployment: deployment ?? id, image: 'x', environment: {}, networks: [], replicas: 1 },
  ...{
    volumes: volume ? [{ name: volume, target: '/data', readOnly: false }] : [],
    order: 'start-first',
    monitorMs: 0,
  },
})

/** A release that runs, and one after it that came up in part. */
async function undecided(before: Service[], now: Service[]) {
  const old = await makeDeployment(world, org, { ended: new Date(), active: true })
  const row = await makeDeployment(world, org)
  const { serverId } = await db
    .selectFrom('deployment')
    .select('serverId')
    .where('id', '=', old.id)
    .executeTakeFirstOrThrow()
  const set = (id: string, services: Service[], more: object) => {
    const specs = services.map((one) => specOf(old.projectId, one, id))
    const shown = services.map(({ service, status = 'healthy' }) => ({
      ...{ name: service, status, image: 'x', digest: null, previousDigest: null, replicas: 1, error: null },
    }))
    const release = sealRelease({ keys }, id, { services: specs as never })
    const values = { release, serverId, services: JSON.stringify(shown), ...more }
    return db
      .updateTable('deployment')
      .set(values as never)
      .where('id', '=', id)
      .execute()
  }
  await set(old.id, before, { number: 1 })
  const waiting = { projectId: old.projectId, number: 2, status: 'partial_failure', decision: 'pending' }
  await set(row.id, now, { ...waiting, waitingOn: JSON.stringify({ kind: 'decision' }) })
  return { old: { deploymentId: old.id, number: 1 }, now: { deploymentId: row.id, number: 2 } }
}
const decision = (id: string, by = org.owner.api) => by('GET', `/api/deployments/${id}/decision`)

test('per service it is told what came up, and what there would be when it is kept and when it is rejected', async () => {
  const { old, now } = await undecided(
    [{ service: 'web' }, { service: 'worker' }, { service: 'cron' }, { service: 'db', volume: 'data' }],
    [{ service: 'web' }, { service: 'worker', status: 'restored' }, { service: 'store', volume: 'data' }],
  )
  const { status, body } = await decision(now.deploymentId)
  // The engine is away, so that nobody can say what would be done to it; which versions there would be is known.
  expect([status, body.unreachable, body.reason]).toEqual([200, true, 'It did not answer.'])
  expect([body.keep, body.reject, body.seenAt]).toEqual([null, null, null])
  const well = { error: null, status: 'healthy' }
  const gone = { error: null, status: null }
  expect(body.services).toEqual([
    { name: 'web', ...well, ran: old, runs: now, ifKept: now, ifRejected: old },
    { name: 'worker', error: null, status: 'restored', ran: old, runs: old, ifKept: old, ifRejected: old },
    { name: 'store', ...well, ran: null, runs: now, ifKept: now, ifRejected: null },
    { name: 'cron', ...gone, ran: old, runs: old, ifKept: null, ifRejected: old },
    // What has its data came up: it stopped before that.
    { name: 'db', ...gone, ran: old, runs: null, ifKept: null, ifRejected: old },
  ])
})

test('where its successor did not come up, what it was to replace stays when that is kept', async () => {
  const { old, now } = await undecided(
    [{ service: 'web' }, { service: 'db', volume: 'data' }],
    [{ service: 'web' }, { service: 'store', volume: 'data', status: 'removed' }],
  )
  const { body } = await decision(now.deploymentId)
  const of = (name: string) => body.services.find((one: { name: string }) => one.name === name)
  expect(of('db')).toMatchObject({ runs: old, ifKept: old, ifRejected: old })
  expect(of('store')).toMatchObject({ runs: null, ifKept: null, ifRejected: null })
})

test('where nothing waits for a decision there is none to be told of: 409; of another organization: 404', async () => {
  const { id } = await makeDeployment(world, org, { ended: new Date() })
  expect(await decision(id)).toMatchObject({ status: 409, body: { code: 'no_decision_pending' } })
  expect((await decision(id, other.owner.api)).status).toBe(404)
})
