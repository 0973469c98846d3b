import { expect, test } from 'vitest'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('gates')
const respond = (id: string, promptId: string) =>
  site.api('POST', `/api/deployments/${id}/build/respond`, { promptId, action: 'approve' })

test('nothing is built before the build is approved, and nothing changes before the release is', async () => {
  const projectId = await site.project('asked', { approveBuild: true, approveRelease: true, bakeSeconds: 0 })
  const id = await site.start(projectId, app(GOOD))
  const waits = (promptId: string) => site.until(id, ({ waitingOn }) => waitingOn?.promptId === promptId)
  const names = async () => (await site.show(id)).steps.map(({ name }) => name)
  const session = async () => (await site.api('GET', `/api/deployments/${id}/build`)).body

  await waits('approve_build')
  expect(await names()).not.toContain('build')
  expect(await session()).toMatchObject({ status: 'building', prompt: { promptId: 'approve_build' } })
  expect((await respond(id, 'approve_build')).status).toBe(202)

  await waits('approve_release')
  expect(await names()).toContain('build')
  expect((await site.api('GET', `/api/deployments/${id}/info`)).body).toEqual({ data: [] })
  expect((await respond(id, 'approve_build')).status).toBe(400)
  expect((await respond(id, 'approve_release')).status).toBe(202)

  expect(await site.ended(id)).toMatchObject({ status: 'ready', active: true, waitingOn: null })
  expect(await session()).toMatchObject({ status: 'ready', prompt: null, step: null })
  expect((await site.ask('asked.gates.test')).text).toBe('version 1')
}, 180_000)

/** Lives until somebody asks it to die. */
const MORTAL = `require('node:http').createServer((q, r) => q.url === '/die' ? process.exit(1) : r.end('mortal')).listen(process.env.PORT)`

test('a release that keeps dying while it is watched fails as unstable, and the one before is active again', async () => {
  const projectId = await site.project('dying', { bakeSeconds: 300 })
  const first = await site.ended(await site.start(projectId, app(GOOD)))
  const second = await site.ended(await site.start(projectId, app(MORTAL)))
  expect([first.status, second.status, second.active]).toEqual(['ready', 'ready', true])
  const killed = async () => {
    await site.ask('dying.gates.test', '/die').catch(() => {})
    return (await site.show(second.id)).status
  }
  await expect.poll(killed, { timeout: 120_000, interval: 500 }).toBe('failed')
  expect((await site.show(second.id)).error).toMatchObject({ code: 'unstable' })
  await expect.poll(async () => (await site.show(first.id)).active, { timeout: 60_000 }).toBe(true)
  await expect.poll(async () => (await site.ask('dying.gates.test')).text, { timeout: 60_000 }).toBe('version 1')
}, 300_000)
