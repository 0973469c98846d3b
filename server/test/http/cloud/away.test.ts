import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../../test-kit/until.ts'
import { newId } from '../../../src/db/ids.ts'
import { cloudProject, link, shownAs, startHome, stub } from './linked.ts'
import { answering, startStandIn } from './stand-in.ts'

const here = await startHome()
const cloud = await startStandIn(answering({ success: true }))
const org = await here.org()
const id = newId('dep')
const url = `/api/deployments/${id}`

beforeAll(async () => {
  await link(here, org.id, cloud.url, 'slp_of_the_link')
  await stub(here, org.id, await cloudProject(here, org), shownAs(id))
})

const timed = async <T>(work: () => Promise<T>) => {
  const began = performance.now()
  const answer = await work()
  return { answer, ms: performance.now() - began }
}
/** The middle one of many looks at something that is here. */
async function localMs(): Promise<number> {
  const all: number[] = []
  for (let n = 0; n < 60; n++) all.push((await timed(() => org.owner.api('GET', '/api/projects'))).ms)
  return all.sort((a, b) => a - b)[30] ?? 0
}

describe('while the cloud hangs', () => {
  test('local routes are as fast as before, and of many calls only so many wait; then it is not asked at all', async () => {
    await localMs()
    const before = await localMs()
    cloud.does(() => {})
    cloud.seen.splice(0)
    const calls = Array.from({ length: 100 }, () => timed(() => org.owner.api('GET', url)))
    await until('the cloud is asked', 10_000, () => cloud.seen.length === 64)
    const during = await localMs()
    expect(during).toBeLessThan(before * 3 + 100)
    const answers = await Promise.all(calls)
    for (const { answer } of answers) {
      expect([answer.status, answer.body.error, answer.body.code]).toEqual([
        503,
        'cloud_unreachable',
        'cloud_unreachable',
      ])
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    const quick = answers.filter(({ ms }) => ms < 8000)
    expect(quick.length).toBeGreaterThanOrEqual(36)
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(15_000)
    // The breaker is open: nobody waits any more, and nobody is sent.
    const asked = cloud.seen.filter((one) => one.url === url).length
    const { answer, ms } = await timed(() => org.owner.api('GET', url))
    expect([answer.status, ms < 8000]).toEqual([503, true])
    expect(cloud.seen.filter((one) => one.url === url).length).toBe(asked)
  }, 60_000)

  test('lists show what was seen last, say so, and do not wait', async () => {
    const asked = cloud.seen.filter((one) => one.url !== '/healthz').length
    const answer = await org.owner.api('GET', '/api/deployments')
    expect(answer.body.data).toMatchObject([{ id, status: 'building', unreachable: true }])
    expect(Date.parse(answer.body.data[0].asOf)).toBeLessThanOrEqual(Date.now())
    expect(cloud.seen.filter((one) => one.url !== '/healthz').length).toBe(asked)
  })
})

test('when it is back, that is found out without anybody asking, and calls go through again', async () => {
  cloud.does(answering({ success: true }))
  await until('the way is open again', 15_000, async () => (await org.owner.api('GET', url)).status === 200)
  expect(cloud.seen.some((one) => one.url === '/healthz')).toBe(true)
})

test('a write whose caller leaves is done and recorded all the same', async () => {
  const base = await here.app.listen({ port: 0, host: '127.0.0.1' })
  let finish = () => {}
  cloud.does((request, response) => {
    finish = () => answering({ success: true }, 202)(request, response)
  })
  cloud.seen.splice(0)
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${org.owner.token}`, 'x-request-id': 'of-one-who-left' }
  const asked = fetch(`${base}${url}/restart`, { method: 'POST', headers, signal: leaving.signal }).catch(() => 'left')
  await until('it has arrived', 10_000, () => cloud.seen.length === 1)
  leaving.abort()
  expect(await asked).toBe('left')
  finish()
  const entry = await until('it is recorded', 10_000, async () => {
    const { data } = (await org.owner.api('GET', `/api/audit?target=${id}`)).body
    return data.find((one: { requestId: string }) => one.requestId === 'of-one-who-left')
  })
  expect(entry.detail).toEqual({ route: 'POST /api/deployments/:id/restart', status: 202 })
})

test('a write whose answer is lost leaves an entry that says so, one that never left leaves none', async () => {
  cloud.does((_, response) => void response.destroy())
  const entries = async () => (await org.owner.api('GET', `/api/audit?target=${id}`)).body.data
  expect((await org.owner.api('POST', `${url}/pin`, {})).status).toBe(503)
  const lost = { action: 'deployment.forward', detail: { route: 'POST /api/deployments/:id/pin', status: null } }
  const [newest, ...older] = await entries()
  expect(newest).toMatchObject(lost)
  await cloud.close()
  expect((await org.owner.api('POST', `${url}/pin`, {})).status).toBe(503)
  expect(await entries()).toEqual([newest, ...older])
})
