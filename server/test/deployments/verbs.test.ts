import { expect, test } from 'vitest'
import { app, GOOD, startSite } from './site.ts'

const site = await startSite('verbs')
const SLOW = { ...app(GOOD), Dockerfile: 'FROM node:24-slim\nCOPY . .\nRUN sleep 60\nCMD ["node", "server.js"]\n' }

test('a build is cancelled within seconds, and cancelling twice or after the end is refused', async () => {
  const projectId = await site.project('cancel')
  const id = await site.start(projectId, SLOW)
  await site.until(id, (seen) => seen.status === 'building' && seen.steps.some((step) => step.name === 'build'))
  const asked = performance.now()
  expect((await site.api('POST', `/api/deployments/${id}/cancel`)).status).toBe(202)
  expect((await site.ended(id)).status).toBe('cancelled')
  expect(performance.now() - asked).toBeLessThan(5000)
  const again = await site.api('POST', `/api/deployments/${id}/cancel`)
  expect([again.status, again.body.code]).toEqual([400, 'not_now'])
}, 120_000)

test('a gate waits for its answer, holds no worker, and can be declined', async () => {
  const projectId = await site.project('gates', { approveBuild: true })
  const id = await site.start(projectId, app(GOOD))
  const waiting = await site.until(id, (seen) => seen.waitingOn !== null)
  expect(waiting.waitingOn).toMatchObject({ promptId: 'approve_build' })
  const respond = (promptId: string, action: string) =>
    site.api('POST', `/api/deployments/${id}/build/respond`, { promptId, action })
  expect((await respond('approve_release', 'approve')).status).toBe(400)
  expect((await respond('approve_build', 'reject')).status).toBe(202)
  expect(await site.ended(id)).toMatchObject({ status: 'failed', error: { code: 'not_approved' } })
  expect((await respond('approve_build', 'approve')).status).toBe(400)
  const cancelled = await site.start(projectId, app(GOOD, 2))
  await site.until(cancelled, (seen) => seen.waitingOn !== null)
  expect((await site.api('POST', `/api/deployments/${cancelled}/cancel`)).status).toBe(202)
  expect((await site.ended(cancelled)).status).toBe('cancelled')
}, 120_000)

test('of deployments that wait, only the newest is run', async () => {
  const projectId = await site.project('queue')
  const first = await site.start(projectId, SLOW)
  await site.until(first, (seen) => seen.status === 'building')
  const second = await site.start(projectId, app(GOOD, 2))
  const third = await site.start(projectId, app(GOOD, 3))
  expect((await site.show(second)).status).toBe('superseded')
  await site.api('POST', `/api/deployments/${first}/cancel`)
  expect(await site.ended(third)).toMatchObject({ status: 'ready', active: true, number: 3 })
  expect((await site.ask('queue.verbs.test')).text).toBe('version 3')
}, 180_000)

test('cancel and rollback ask for deployment:admin in the handler', async () => {
  const projectId = await site.project('permissions', { approveBuild: true })
  const id = await site.start(projectId, app(GOOD))
  const developer = await site.world.person(site.org.id, 'developer')
  for (const verb of ['cancel', 'rollback']) {
    const answer = await developer.api('POST', `/api/deployments/${id}/${verb}`)
    expect([answer.status, answer.body.requires]).toEqual([403, 'deployment:admin'])
  }
  await site.until(id, (seen) => seen.waitingOn !== null)
  await site.api('POST', `/api/deployments/${id}/cancel`)
  await site.ended(id)
})

test('events are numbered without gaps and end with the end', async () => {
  const projectId = await site.project('events')
  const noisy = {
    ...app(GOOD),
    Dockerfile:
      'FROM node:24-slim\nCOPY . .\nRUN node -e "for (let i = 0; i < 3000; i++) console.log(i)"\nCMD ["node", "server.js"]\n',
  }
  const id = await site.start(projectId, noisy)
  await site.ended(id)
  const { rows } = await site.world.platform.pool.query(
    'select seq, type, data from deployment_event where deployment_id = $1 order by seq',
    [id],
  )
  expect(rows.map((row) => Number(row.seq))).toEqual(rows.map((_, i) => i + 1))
  expect(rows.at(-1).type).toBe('end')
  const printed = rows
    .filter((row) => row.type === 'log' && /^\d+$/.test(row.data.line))
    .map((row) => Number(row.data.line))
  expect(printed).toEqual(Array.from({ length: 3000 }, (_, i) => i))
  const logs = await site.api('GET', `/api/deployments/${id}/logs?limit=5000`)
  expect(logs.body.data.length).toBeGreaterThanOrEqual(3000)
  const after = await site.api('GET', `/api/deployments/${id}/stream?since=${rows.length}`)
  expect(after.status).toBe(204)
  const stream = await site.api('GET', `/api/deployments/${id}/stream?since=${rows.length - 2}`)
  expect(stream.text).toContain(`id: ${rows.length}\nevent: end`)
  expect(stream.text).not.toContain(`id: ${rows.length - 2}\n`)
}, 120_000)
