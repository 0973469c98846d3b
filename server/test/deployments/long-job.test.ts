import { describe, expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'
import { until } from '../../../test-kit/until.ts'

const site = await startSite('longjob')

/** A job that takes some time, and a service that waits for its end. */
const stack = (seconds: number) => ({
  'compose.yaml': `
services:
  web:
    image: busybox:1
    expose: ["8080"]
    command: ["httpd", "-f", "-p", "8080"]
    depends_on: { work: { condition: service_completed_successfully } }
  work:
    image: busybox:1
    command: ["sleep", "${seconds}"]
    stop_grace_period: 1s
    restart: "no"
`,
})

const runOf = async (id: string) =>
  (await site.world.platform.pool.query('select status, wake_at, fence from run where id = $1', [id])).rows[0]
const resting = (id: string) =>
  until(`${id} rests`, 90_000, async () => {
    const { status, wake_at } = await runOf(id)
    return (status === 'parked' && wake_at !== null) || undefined
  })

describe('a job that takes long', () => {
  test('holds no worker, is not begun a second time, and the rest of the release follows its end', async () => {
    const projectId = await site.project('patient', { bakeSeconds: 0 })
    const id = await site.start(projectId, stack(45))
    await resting(id)
    expect(await site.show(id)).toMatchObject({ status: 'deploying', waitingOn: null })
    expect(await site.ended(id)).toMatchObject({ status: 'ready', active: true })
    expect((await runOf(id)).fence).toBeGreaterThan(1)
    const { body: events } = await site.api('GET', `/api/deployments/${id}/info`)
    const tasks = events.data.filter(({ service }: { service: string }) => service === 'work')
    expect(tasks.length).toBeLessThanOrEqual(1)
    const { rows } = await site.world.platform.pool.query(
      `select extract(epoch from ended_at - started_at)::float8 as s from run_step where run_id = $1 and name = 'rollout:work'`,
      [id],
    )
    // From its first beginning, not from the last look at it.
    expect(rows[0].s).toBeGreaterThan(40)
  }, 240_000)

  test('is cancelled while nobody watches it, and what it had begun is gone', async () => {
    const projectId = await site.project('called off', { bakeSeconds: 0 })
    const id = await site.start(projectId, stack(3000))
    await resting(id)
    const asked = performance.now()
    expect((await site.api('POST', `/api/deployments/${id}/cancel`)).status).toBe(202)
    expect(await site.ended(id)).toMatchObject({ status: 'cancelled' })
    expect(performance.now() - asked).toBeLessThan(20_000)
    const states = (await site.show(id)).services.map(({ status }) => status)
    expect(states.every((status) => status !== 'healthy')).toBe(true)
  }, 240_000)
})
