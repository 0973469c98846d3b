import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('journey')
const folder = join(import.meta.dirname, '../../../examples/node-hello')
const example = Object.fromEntries(readdirSync(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
const HOST = 'node-hello.journey.test'

test('a folder becomes a running, routed service; a change goes live; a rollback brings the old one back without a build', async () => {
  const projectId = await site.project('Node Hello')
  const variables = [{ name: 'GREETING', value: 'moin-moin' }]
  await site.api('PUT', `/api/projects/${projectId}/variables`, { variables })
  const one = await site.ended(await site.start(projectId, example))
  const url = `http://${HOST}:${site.httpPort}`
  expect(one, JSON.stringify(one.error)).toMatchObject({ status: 'ready', active: true, urls: [url] })
  const answer = async () => JSON.parse((await site.ask(HOST)).text)
  expect(await answer()).toEqual({ hello: 'world', version: 1, greeting: 'moin-moin' })

  const changed = { ...example, 'version.json': '{ "version": 2 }' }
  expect((await site.upload(changed)).sent).toBe(1)
  const two = await site.ended(await site.start(projectId, changed))
  expect(two, JSON.stringify(two.error)).toMatchObject({ status: 'ready', active: true, number: 2 })
  expect(await answer()).toMatchObject({ version: 2 })

  const back = await site.api('POST', `/api/deployments/${one.id}/rollback`)
  const three = await site.ended(back.body.deployment_id)
  expect(three, JSON.stringify(three.error)).toMatchObject({ status: 'ready', trigger: 'rollback', active: true })
  expect(three.steps.map((step) => step.name)).not.toContain('build')
  expect(await answer()).toMatchObject({ version: 1 })

  expect((await site.api('POST', `/api/deployments/${two.id}/pin`, {})).body.deployment.pinned).toBe(true)
  expect((await site.api('POST', `/api/deployments/${three.id}/restart`)).status).toBe(202)
  const logs = await site.api('GET', `/api/deployments/${three.id}/logs?kind=runtime`)
  expect(logs.body.data.some((line: { line: string }) => line.line.includes('listening, version 1'))).toBe(true)
  const usage = await site.api('GET', `/api/deployments/${three.id}/usage`)
  expect(usage.body.data[0].memoryBytes).toBeGreaterThan(1_000_000)
  const info = await site.api('GET', `/api/deployments/${three.id}/info`)
  // The restart is still rolling: beside the container that serves there may be one that starts.
  const states = info.body.data
    .filter((task: { service: string }) => task.service === 'web')
    .map((task: { state: string }) => task.state)
  expect(states).toContain('running')
  expect((await site.api('DELETE', `/api/projects/${projectId}`)).status).toBe(409)
  expect((await site.api('DELETE', `/api/deployments/${three.id}`)).status).toBe(400)
  expect((await site.api('DELETE', `/api/deployments/${three.id}?force=true`)).status).toBe(200)
  expect((await site.api('GET', `/api/deployments/${three.id}`)).status).toBe(404)
}, 180_000)
