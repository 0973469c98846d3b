import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import type { Fate } from '../http/links/two-worlds.ts'
import { MADE_THERE, PATIENCE_MS, projectOf, promote, startStage, uploaded } from './stage.ts'

const { home, cloud, line, ground, secretsOf, promotion, ended, endThere, countThere, at, replaceWorker } =
  await startStage()

const callOf = ({ method, url }: IncomingMessage) => `${method} ${url}`
/** Each call meets this once, and comes through from then on. */
function onceEach(fate: Fate) {
  const met = new Set<string>()
  return (request: IncomingMessage): Fate => {
    const call = callOf(request)
    // Who looks after a cloud that is away is none of the promotion.
    if (met.has(call) || call === 'GET /healthz') return 'through'
    met.add(call)
    return fate
  }
}

test('a promotion whose every call was done and not heard of makes nothing twice', { timeout: 240_000 }, async () => {
  const { here, there } = await ground('unheard')
  const id = await projectOf(here, 'unheard')
  const uploadSessionId = await uploaded(here)
  await line.being(onceEach('answer lost'), async () => {
    const { deployment_id } = (await promote(here, id, { uploadSessionId })).body
    await endThere(deployment_id, 'ready', 150_000)
    await until('it is promoted', 60_000, async () => (await promotion(here, id)).state === 'promoted' || undefined)
  })
  for (const table of ['project', 'deployment', 'folder_session'] as const)
    expect(await countThere(table, there), table).toBe(1)
  expect((await there.owner.api('GET', `/api/projects/${id}/variables`)).body.data).toHaveLength(2)
})

test('a worker that is replaced at each step is followed by one that goes on', { timeout: 240_000 }, async () => {
  const { here, there } = await ground('replaced')
  const id = await projectOf(here, 'replaced')
  const seen = new Set<string>()
  const { deployment_id } = await line.being(
    // The first call of each kind is done there and never answered: the worker is replaced in the middle of its step.
    (request) => {
      const step = stepOf(callOf(request))
      if (step === undefined || seen.has(step)) return 'through'
      seen.add(step)
      setTimeout(() => void replaceWorker(), 50)
      return 'answer held'
    },
    async () => {
      const { body } = await promote(here, id, { uploadSessionId: await uploaded(here) })
      await until('it is there', 120_000, async () => (await promotion(here, id)).step === 'await' || undefined)
      return body
    },
  )
  await endThere(deployment_id)
  expect(await ended(here, id)).toMatchObject({ state: 'promoted' })
  expect(seen.size).toBe(6)
  for (const table of ['project', 'deployment', 'folder_session'] as const)
    expect(await countThere(table, there), table).toBe(1)
})

test('a project that was made by a worker that is gone becomes what it is here by then', {
  timeout: 90_000,
}, async () => {
  const { here, there } = await ground('renamed')
  const id = await projectOf(here, 'renamed')
  let made = false
  const { deployment_id } = await line.being(
    (request) => {
      if (made || callOf(request) !== 'POST /api/projects') return 'through'
      made = true
      return 'answer held'
    },
    async () => {
      const { body } = await promote(here, id, { image: 'busybox:1' })
      await until('it is there', PATIENCE_MS, async () => (await countThere('project', there)) === 1 || undefined)
      expect((await here.owner.api('PATCH', `/api/projects/${id}`, { name: 'another' })).status).toBe(200)
      await replaceWorker()
      return body
    },
  )
  await at(here, id, 'await')
  expect((await there.owner.api('GET', `/api/projects/${id}`)).body.name).toBe('another')
  // Whoever waits for one asks the cloud, which the tests that follow would take for a call of theirs.
  await endThere(deployment_id)
  await ended(here, id)
})

/** By the call that a step begins with, or is about. */
const CALLS: [step: string, call: RegExp][] = [
  ['look', /^GET \/api\/projects\/prj_\w+$/],
  ['project', /^POST \/api\/projects$/],
  ['source', /\/seal$/],
  ['settings', /^PUT .*\/variables$/],
  ['domains', /\/domains\/check$/],
  ['deploy', /build\/access$/],
  ['await', /^GET \/api\/deployments\/dep_\w+$/],
]
const stepOf = (call: string) => CALLS.find(([step, pattern]) => step !== 'await' && pattern.test(call))?.[0]

describe('a cancel takes everything back', () => {
  const shared = ground('cancel')
  test.each(CALLS)('at %s', { timeout: 90_000 }, async (step, call) => {
    const { here, there } = await shared
    const id = await projectOf(here, `cancel-${step}`)
    let held = false
    const deployment = await line.being(
      (request) => {
        if (held || !call.test(callOf(request))) return 'through'
        held = true
        return 'answer held'
      },
      async () => {
        const { body } = await promote(here, id, { uploadSessionId: await uploaded(here) })
        await until('the call is held', PATIENCE_MS, () => held || undefined)
        expect((await promotion(here, id)).step).toBe(step)
        const { status } = await here.owner.api('POST', `/api/deployments/${body.deployment_id}/cancel`)
        expect(status).toBe(202)
        return body.deployment_id
      },
    )
    expect(await ended(here, id)).toMatchObject({ state: 'cancelled', error: null })
    for (const table of MADE_THERE) expect(await countThere(table, there), table).toBe(0)
    // Contents of an upload are nobody's but this organization's; the sweep takes the session when it has expired.
    const sessions = 'select expires_at - now() as left from folder_session where org_id = $1'
    for (const { left } of (await cloud.platform.pool.query(sessions, [there.id])).rows)
      expect(left.days ?? 0, 'an upload goes by itself').toBeLessThanOrEqual(30)
    const { rows } = await home.platform.pool.query('select target, cloud_project_id from project where id = $1', [id])
    expect(rows).toEqual([{ target: 'server', cloud_project_id: null }])
    const shown = await here.owner.api('GET', `/api/deployments/${deployment}`)
    expect(shown.body).toMatchObject({ status: 'cancelled', active: false })
  })

  test('also what comes there after it was looked for', { timeout: 90_000 }, async () => {
    const { here, there } = await ground('overtaken')
    const id = await projectOf(here, 'overtaken')
    const { credential } = await secretsOf(here)
    let late: (() => Promise<{ status: number }>) | undefined
    let came = 0
    await line.being(
      (request, response) => {
        if (callOf(request) === `DELETE /api/projects/${id}?volumes=delete` && came === 0) {
          // It is not there yet, and comes a moment after that was said.
          response.on('finish', () => void late?.().then(({ status }) => (came = status)))
          return 'through'
        }
        if (callOf(request) !== 'POST /api/projects' || late !== undefined) return 'through'
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          const json = JSON.parse(Buffer.concat(chunks).toString())
          late = () => cloud.as(credential)('POST', '/api/projects', json)
        })
        return 'silent'
      },
      async () => {
        const { deployment_id } = (await promote(here, id, { image: 'busybox:1' })).body
        await until('the call is on its way', PATIENCE_MS, () => late)
        await here.owner.api('POST', `/api/deployments/${deployment_id}/cancel`)
        expect(await ended(here, id)).toMatchObject({ state: 'cancelled', error: null })
        await until('it has come', PATIENCE_MS, () => came || undefined)
      },
    )
    expect(came).toBe(201)
    for (const table of MADE_THERE) expect(await countThere(table, there), table).toBe(0)
  })

  test('also when it has become ready there in that moment, and while the cloud is away', {
    timeout: 90_000,
  }, async () => {
    const { here, there } = await ground('late')
    const id = await projectOf(here, 'late')
    const { deployment_id } = (await promote(here, id, { image: 'busybox:1' })).body
    await at(here, id, 'await')
    await line.being('cut', async () => {
      await endThere(deployment_id)
      await here.owner.api('POST', `/api/deployments/${deployment_id}/cancel`)
      const resting = "select 1 from run where id = $1 and status = 'parked' and outcome = 'cancelled'"
      await until('what undoes it rests', PATIENCE_MS, async () => {
        return (await home.platform.pool.query(resting, [deployment_id])).rowCount === 1 || undefined
      })
      expect((await promotion(here, id)).state).toBe('running')
    })
    expect(await ended(here, id)).toMatchObject({ state: 'cancelled', error: null })
    expect([await countThere('project', there), await countThere('deployment', there)]).toEqual([0, 0])
    expect((await here.owner.api('GET', `/api/projects/${id}`)).body.target).toBe('server')
    // Nothing stands in the way of another one.
    const again = await promote(here, id, { image: 'busybox:1' })
    await at(here, id, 'await')
    await endThere(again.body.deployment_id)
    expect(await ended(here, id)).toMatchObject({ state: 'promoted' })
  })

  test('as far as it can: without a link it is left there, and written down', { timeout: 90_000 }, async () => {
    const { here, there } = await ground('unlinked')
    const id = await projectOf(here, 'unlinked')
    const { deployment_id } = (await promote(here, id, { image: 'busybox:1' })).body
    await at(here, id, 'await')
    const [link] = (await there.owner.api('GET', '/api/links')).body.data
    await there.owner.api('DELETE', `/api/links/${link.id}`)
    await here.owner.api('POST', `/api/deployments/${deployment_id}/cancel`)
    expect(await ended(here, id)).toMatchObject({
      error: { message: expect.stringContaining('could not be taken back') },
    })
    expect(await countThere('project', there)).toBe(1)
    const back = await here.owner.api('DELETE', `/api/projects/${id}/promotion`)
    expect(back.body).toMatchObject({ success: true, deletedThere: false })
    expect((await here.owner.api('DELETE', `/api/projects/${id}`)).status).toBe(200)
  })
})
