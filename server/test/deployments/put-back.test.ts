import { expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('back')
const httpd = (port: number) => `["httpd", "-f", "-p", "${port}", "-h", "/etc"]`
const compose = (tool: string, port = 8080) => ({
  'compose.yaml': `
services:
  web:
    image: busybox:1
    command: ${httpd(port)}
    expose: ["${port}"]
  tool: ${tool}
`,
})
const SERVICE = `{image: busybox:1, command: ${httpd(9000)}, expose: ["9000"]}`
const FAILING_JOB = '{image: busybox:1, command: ["ls", "/nothing"], restart: "no"}'
/** What waits for the end of another makes that one a job. */
const LAST = `  last:
    image: busybox:1
    command: ${httpd(9001)}
    depends_on: {tool: {condition: service_completed_successfully}}
`

const running = async (id: string): Promise<Record<string, string>> => {
  const { body } = await site.api('GET', `/api/deployments/${id}/info`)
  const tasks = body.data.filter(({ state }: { state: string }) => state === 'running')
  return Object.fromEntries(
    tasks.map((task: { service: string; deployment: string }) => [task.service, task.deployment]),
  )
}

test('a service that became a job, which failed, is put back', async () => {
  const projectId = await site.project('jobs', { bakeSeconds: 0 })
  const first = await site.start(projectId, compose(SERVICE))
  expect(await site.ended(first)).toMatchObject({ status: 'ready' })
  // Something else comes up beside it, so that somebody is asked.
  const file = `${compose(FAILING_JOB)['compose.yaml'].replace('"/etc"', '"/bin"')}${LAST}`
  const second = await site.ended(await site.start(projectId, { 'compose.yaml': file }))
  expect(second.status).toBe('partial_failure')
  expect(second.services.find(({ name }) => name === 'tool')?.status).toBe('restored')
  expect(await running(first)).toMatchObject({ tool: first })
  expect((await site.api('POST', `/api/deployments/${second.id}/keep`)).status).toBe(202)
  await site.until(second.id, (seen) => seen.active)
  expect(await running(second.id)).toEqual({ web: second.id, tool: first })
}, 180_000)

test('what is kept in part leads its names to the port that listens', async () => {
  const projectId = await site.project('ports', { bakeSeconds: 0 })
  expect(await site.ended(await site.start(projectId, compose(SERVICE)))).toMatchObject({ status: 'ready' })
  expect((await site.ask('ports.back.test', '/hostname')).status).toBe(200)
  // Another port, on which nothing ever listens; the tool changes and comes up.
  const file = compose(SERVICE.replace('/etc', '/bin'), 8080)['compose.yaml'].replace(
    'expose: ["8080"]',
    'expose: ["9999"]',
  )
  const second = await site.ended(await site.start(projectId, { 'compose.yaml': file }))
  expect(second.status).toBe('partial_failure')
  expect((await site.api('POST', `/api/deployments/${second.id}/keep`)).status).toBe(202)
  await site.until(second.id, (seen) => seen.active)
  expect((await site.ask('ports.back.test', '/hostname')).status).toBe(200)
}, 300_000)
