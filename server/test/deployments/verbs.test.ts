import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'
import { openEngineTarget } from '../../src/core/servers/open-engine-target.ts'

const site = await startSite('verbs')
const SLOW = { ...app(GOOD), Dockerfile: 'FROM node:24-slim\nCOPY . .\nRUN sleep 60\nCMD ["node", "server.js"]\n' }

test('a build is cancelled within seconds, and cancelling twice or after the end is refused', async () => {
  const projectId = await site.project('cancel')
  const id = await site.start(projectId, SLOW)
  await site.until(id, (seen) => seen.status === 'building' && seen.steps.some((step) => step.name === 'build'))
  const asked = performance.now()
  expect((await site.api('POST', `/api/deployments/${id}/cancel`)).status).toBe(202)
  const over = await site.ended(id)
  expect(performance.now() - asked).toBeLessThan(5000)
  expect(over.status).toBe('cancelled')
  expect(over.steps.find(({ name }) => name === 'build')).toMatchObject({ status: 'cancelled', error: null })
  expect((await site.api('GET', `/api/deployments/${id}/build`)).body).toMatchObject({
    status: 'cancelled',
    step: null,
  })
  const again = await site.api('POST', `/api/deployments/${id}/cancel`)
  expect([again.status, again.body.code]).toEqual([400, 'not_now'])
}, 120_000)

test('a gate waits for its answer, holds no worker, and can be declined', async () => {
  const projectId = await site.project('gates', { approveBuild: true })
  const id = await site.start(projectId, app(GOOD))
  const waiting = await site.until(id, (seen) => seen.waitingOn !== null)
  expect(waiting.waitingOn).toMatchObject({ promptId: 'approve_build' })
  const { prompt } = (await site.api('GET', `/api/deployments/${id}/build`)).body
  expect(prompt).toEqual({ promptId: 'approve_build', message: expect.stringContaining('approve every build') })
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

test('a name leads to the active release within moments, without a deployment, and nowhere when it is released', async () => {
  const projectId = await site.project('domains')
  expect((await site.ended(await site.start(projectId, app(GOOD)))).status).toBe('ready')
  expect((await site.ask('own.verbs.example')).status).toBe(404)
  await site.api('POST', `/api/projects/${projectId}/domains`, { host: 'own.verbs.example' })
  await expect.poll(async () => (await site.ask('own.verbs.example')).text).toBe('version 1')
  const { body } = await site.api('GET', `/api/projects/${projectId}/domains`)
  expect(body.data).toMatchObject([
    { host: 'domains.verbs.test', live: true },
    { host: 'own.verbs.example', live: true },
  ])
  await site.api('DELETE', `/api/projects/${projectId}/domains/own.verbs.example`)
  await expect.poll(async () => (await site.ask('own.verbs.example')).status).toBe(404)
  expect((await site.ask('domains.verbs.test')).text).toBe('version 1')
}, 120_000)

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

const serving = async (projectId: string) => {
  const { data } = (await site.api('GET', `/api/deployments/${projectId}/info`)).body
  return (data as { state: string; taskId: string }[])
    .filter(({ state }) => state === 'running')
    .map((task) => task.taskId)
}

test('a restart comes in its turn, replaces the containers, and ends as their engine says', async () => {
  const projectId = await site.project('restart')
  const { id } = await site.ended(await site.start(projectId, app(GOOD)))
  const before = await serving(id)
  const answer = await site.api('POST', `/api/deployments/${id}/restart`)
  expect([answer.status, answer.body.deployment.services[0].status]).toEqual([202, 'pending'])
  const statuses = new Set<string>()
  await expect
    .poll(async () => statuses.add((await site.show(id)).services[0]?.status ?? '').has('healthy'), { timeout: 60_000 })
    .toBe(true)
  expect(statuses).toContain('deploying')
  expect(await serving(id)).not.toEqual(before)
  expect((await site.ask('restart.verbs.test')).text).toBe('version 1')
}, 120_000)

test('a run that was given up ends, and its services are what the engine is brought back to', async () => {
  const projectId = await site.project('given-up')
  const first = await site.ended(await site.start(projectId, app(GOOD)))
  const id = await site.start(projectId, app(GOOD, 2))
  await expect.poll(async () => (await site.ask('given-up.verbs.test')).text, { timeout: 60_000 }).toBe('version 2')
  // As if undoing it had killed everybody who tried.
  const reason = JSON.stringify({ code: 'run_abandoned', message: 'given up' })
  await site.world.platform.pool.query(
    "update run set attempts = 50, fence = fence + 1, outcome = 'failed', outcome_reason = $2 where id = $1",
    [id, reason],
  )
  expect(await site.ended(id)).toMatchObject({ status: 'failed', error: { code: 'run_abandoned' } })
  await expect.poll(async () => (await site.show(id)).services[0]?.status, { timeout: 60_000 }).toBe('restored')
  expect((await site.ask('given-up.verbs.test')).text).toBe('version 1')
  expect(await site.show(first.id)).toMatchObject({ status: 'ready', active: true })
}, 180_000)

test('removing the active release takes its routes and network along, and a deleted project its images and folders', async () => {
  const projectId = await site.project('removed')
  const { id } = await site.ended(await site.start(projectId, app(GOOD)))
  const slow = await site.start(projectId, SLOW)
  await site.until(slow, (seen) => seen.status === 'building')
  const early = await site.api('DELETE', `/api/deployments/${id}?force=true`)
  expect([early.status, early.body.code]).toEqual([400, 'not_now'])
  await site.api('POST', `/api/deployments/${slow}/cancel`)
  await site.ended(slow)
  expect((await site.api('DELETE', `/api/deployments/${id}?force=true`)).status).toBe(200)
  expect((await site.ask('removed.verbs.test')).status).toBe(404)
  const { runtime } = site.world.platform
  const target = { kind: 'local' as const, socketPath: site.world.config.localEngine ?? '' }
  const signal = AbortSignal.timeout(60_000)
  expect(await runtime.observe(target, projectId, { signal })).toEqual([])
  expect(await runtime.removeNetwork(target, `p-${projectId.replace('_', '-')}`, { signal })).toBe(false)
  expect((await site.api('DELETE', `/api/projects/${projectId}`)).status).toBe(200)
  const images = () => runtime.images.list(target, `slipway.invalid/${projectId.replace('_', '-')}`, { signal })
  await expect.poll(images, { timeout: 30_000 }).toEqual([])
  const contexts = join(site.world.dataDir, 'contexts')
  const kept = () => readdirSync(contexts, { recursive: true }).filter((name) => String(name).includes(projectId))
  await expect.poll(kept, { timeout: 30_000 }).toEqual([])
}, 180_000)

test('an engine that serves one organization is refused to another, by whatever address it is reached', async () => {
  const { address, port, user, keyFile } = labPart('host1')
  const other = await site.world.org('other')
  const over = { kind: 'ssh', name: 'host1', host: address, port, user, privateKey: readFileSync(keyFile, 'utf8') }
  const added = await other.owner.api('POST', '/api/servers', over)
  const check = async () => (await other.owner.api('POST', `/api/servers/${added.body.id}/check`)).body.report
  const ofOwner = (report: { checks: { name: string }[] }) => report.checks.find(({ name }) => name === 'organization')
  expect(ofOwner(await check())).toMatchObject({ state: 'ok', found: 'serves no organization yet' })
  const row = await site.world.platform.db
    .selectFrom('server')
    .selectAll()
    .where('id', '=', added.body.id)
    .executeTakeFirstOrThrow()
  const engine = openEngineTarget(site.world.platform, row)
  const { signal } = new AbortController()
  await site.world.platform.runtime.owner.claim(engine, site.org.id, { signal })
  try {
    const report = await check()
    expect([report.ok, ofOwner(report)]).toMatchObject([
      false,
      { state: 'failed', found: 'serves another organization' },
    ])
    const { body: project } = await other.owner.api('POST', '/api/projects', { name: 'elsewhere', serverId: row.id })
    const made = await other.owner.api('POST', '/api/deployments/build/access', {
      projectId: project.id,
      image: 'busybox:1',
    })
    const show = async () => (await other.owner.api('GET', `/api/deployments/${made.body.deployment_id}`)).body
    await expect.poll(async () => (await show()).status, { timeout: 30_000 }).toBe('failed')
    expect((await show()).error).toMatchObject({ code: 'engine_taken', step: 'build' })
  } finally {
    await site.world.platform.runtime.owner.release(engine, site.org.id, { signal })
  }
}, 60_000)
