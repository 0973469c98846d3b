import { Deployment } from '@slipway/contract/deployment-shape'
import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { neededImages } from '../../../src/core/deployments/release/images.ts'
import { makeDeployment } from '../../deployments/made.ts'
import { unknownId } from '../../matrix/places.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const { db } = world.platform
const ENDED = ['ready', 'failed', 'cancelled', 'partial_failure', 'rejected', 'superseded'] as const

/** One that ended, as it is said to be. */
async function made(more: object = {}) {
  const deployment = await makeDeployment(world, org, { ended: new Date() })
  if (Object.keys(more).length > 0)
    await db.updateTable('deployment').set(more).where('id', '=', deployment.id).execute()
  return deployment
}
const act = (id: string, verb: string, body?: unknown, by = api) => by('POST', `/api/deployments/${id}/${verb}`, body)
const refused = { status: 400, body: { success: false, code: 'not_now', error: expect.any(String) } }

describe('pin', () => {
  test('sets pinned unless it says false, with a body or without', async () => {
    const { id } = await made()
    const pinned = async (body?: object) => {
      const answer = await act(id, 'pin', body)
      expect([answer.status, answer.body.success]).toEqual([200, true])
      expect((await api('GET', `/api/deployments/${id}`)).body.pinned).toBe(answer.body.deployment.pinned)
      return answer.body.deployment.pinned
    }
    expect(await pinned()).toBe(true)
    expect(await pinned({ pinned: false })).toBe(false)
    expect(await pinned({})).toBe(true)
    expect(await pinned({ pinned: true })).toBe(true)
  })

  test('takes nothing but true and false, and no deployment that never was a release', async () => {
    const { id } = await made()
    for (const pinned of ['yes', 1, null])
      expect(await act(id, 'pin', { pinned })).toMatchObject({ status: 400, body: { field: 'pinned' } })
    expect(await act((await made({ status: 'failed' })).id, 'pin')).toMatchObject(refused)
  })

  test('is for ten deployments of a project at most', async () => {
    const { projectId } = await made()
    const ids: string[] = []
    for (let n = 1; n <= 11; n++) {
      const { id } = await made()
      await db.updateTable('deployment').set({ projectId, number: n }).where('id', '=', id).execute()
      ids.push(id)
    }
    for (const id of ids.slice(0, 10)) expect((await act(id, 'pin')).status).toBe(200)
    expect(await act(ids.at(-1) ?? '', 'pin')).toMatchObject(refused)
    await act(ids[0] ?? '', 'pin', { pinned: false })
    expect((await act(ids.at(-1) ?? '', 'pin')).status).toBe(200)
  })

  test('keeps the image of a release that the rollback window has left behind', async () => {
    const { id, projectId } = await made({ images: ['app:0'] })
    await api('PATCH', `/api/projects/${projectId}`, { settings: { rollbackWindow: 1 } })
    for (const n of [1, 2, 3]) {
      const next = await made()
      await db
        .updateTable('deployment')
        .set({ projectId, number: n, images: [`app:${n}`] })
        .where('id', '=', next.id)
        .execute()
    }
    const needed = async () => [...(await neededImages(db, org.id, projectId))].sort()
    expect(await needed()).not.toContain('app:0')
    await act(id, 'pin')
    expect(await needed()).toContain('app:0')
    await act(id, 'pin', { pinned: false })
    expect(await needed()).not.toContain('app:0')
  })
})

describe('what cannot be done in this state → 400', () => {
  test.each(ENDED)('cancel of one that is %s', async (status) => {
    const { id } = await made({ status })
    expect(await act(id, 'cancel')).toMatchObject(refused)
  })

  test.each<[status: string, decision: string | null]>([
    ...ENDED.map((status): [string, null] => [status, null]),
    ['partial_failure', 'kept'],
    ['rejected', 'rejected'],
  ])('keep and reject of one that is %s, with the decision %s', async (status, decision) => {
    const { id } = await made({ status, decision })
    for (const verb of ['keep', 'reject']) expect(await act(id, verb)).toMatchObject(refused)
  })

  test.each(['building', 'deploying', ...ENDED])('starting the build of one that is %s', async (status) => {
    const { id } = await made({ status })
    expect(await act(id, 'build')).toMatchObject(refused)
  })

  test('restart of what is not the active release, and rollback to what never was one', async () => {
    expect(await act((await made()).id, 'restart')).toMatchObject(refused)
    expect(await act((await made({ status: 'failed' })).id, 'rollback')).toMatchObject(refused)
  })

  test('an answer where nothing was asked, and none where an answer is needed', async () => {
    const { id } = await made()
    expect(await act(id, 'build/respond', { promptId: 'approve_build', action: 'approve' })).toMatchObject(refused)
    for (const body of [{}, { promptId: 'approve_build' }, { promptId: 'approve_build', action: 'perhaps' }])
      expect((await act(id, 'build/respond', body)).status).toBe(400)
    expect((await act(id, 'build/respond')).status).toBe(400)
  })

  test('deleting the active release, unless it is forced', async () => {
    const { id } = await made({ active: true })
    const answer = await api('DELETE', `/api/deployments/${id}`)
    expect(answer).toMatchObject({ ...refused, body: { error: expect.stringContaining('force=true') } })
    const gone = (await made()).id
    expect((await api('DELETE', `/api/deployments/${gone}`)).body).toEqual({ success: true })
    expect((await api('GET', `/api/deployments/${gone}`)).status).toBe(404)
  })
})

test('a rollback is a new deployment, and pauses deploying by itself', async () => {
  const { id, projectId } = await made()
  const paused = async () => (await api('GET', `/api/projects/${projectId}`)).body.autoDeployPaused
  expect(await paused()).toBe(false)
  const { status, body } = await act(id, 'rollback')
  expect([status, body.success, body.project_id]).toEqual([202, true, projectId])
  expect((await api('GET', `/api/deployments/${body.deployment_id}`)).body).toMatchObject({
    trigger: 'rollback',
    status: 'queued',
  })
  expect(await paused()).toBe(true)
})

test('a queued deployment is started when it is asked for', async () => {
  const { id } = await made({ status: 'queued', finishedAt: null })
  expect(await act(id, 'build')).toMatchObject({ status: 202, body: { success: true, deployment: { id } } })
})

test.each(['cancel', 'rollback'])(
  '%s by a token that may only write passes the route and is then denied',
  async (verb) => {
    const write = world.as(await world.tokenFor(org.owner, { scopes: ['deployment:write'] }))
    const [{ id }, unknown] = [await made(), unknownId('dep')]
    expect((await act(unknown, verb, undefined, write)).status).toBe(404)
    expect(await act(id, verb, undefined, write)).toMatchObject({ status: 403, body: { requires: 'deployment:admin' } })
  },
)

test('a deployment is shown with its state, addresses, timing and, when it failed, why', async () => {
  const error = { code: 'build_failed', step: 'build', service: 'web', message: 'It failed.', hint: 'Look.', logSeq: 3 }
  const waitingOn = JSON.stringify({ kind: 'decision' })
  const held = await made({ status: 'partial_failure', decision: 'pending', waitingOn, error: JSON.stringify(error) })
  const { body } = await api('GET', `/api/deployments/${held.id}`)
  expect(Deployment.parse(body)).toMatchObject({
    id: held.id,
    projectId: held.projectId,
    status: 'partial_failure',
    decision: 'pending',
    pinned: false,
    urls: [],
    timing: { createdAt: expect.any(String), finishedAt: expect.any(String) },
    error,
  })
  expect((await api('GET', `/api/deployments/${(await made()).id}`)).body).toMatchObject({
    decision: null,
    error: null,
  })
})
