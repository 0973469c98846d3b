import { expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('compose')

const RUN =
  'if [ -f /app/broken ]; then echo "no way"; exit 3; fi; mkdir /www; cp /app/version /www/index.html; exec httpd -f -p 8080 -h /www'
const DOCKERFILE = `FROM busybox:1\nCOPY . /app/\nCMD ${RUN}\n`
const COMPOSE = `
services:
  web:
    build: ./web
    expose: ["8080"]
    environment: { GREETING: "\${GREETING:-hi}" }
    configs: [{ source: note, target: /etc/note }]
    depends_on:
      setup: { condition: service_completed_successfully }
      api: { condition: service_healthy }
  api:
    build: ./api
    expose: ["8080"]
    privileged: true
  setup:
    image: busybox:1
    command: ["touch", "/shared/mark"]
    volumes: ["marks:/shared"]
configs:
  note: { content: "a note" }
volumes:
  marks: {}
`
const stack = (version: string, broken?: string) => ({
  'compose.yaml': COMPOSE,
  'web/Dockerfile': DOCKERFILE,
  'web/version': `web ${version}`,
  'api/Dockerfile': DOCKERFILE,
  'api/version': `api ${version}`,
  ...(broken !== undefined && { [`${broken}/broken`]: 'yes' }),
})

const states = (seen: { services: { name: string; status: string }[] }) =>
  Object.fromEntries(seen.services.map(({ name, status }) => [name, status]))
const tasksOf = async (id: string): Promise<Record<string, string>> => {
  const { body } = await site.api('GET', `/api/deployments/${id}/info`)
  return Object.fromEntries(body.data.map((task: { service: string; taskId: string }) => [task.service, task.taskId]))
}

test('a compose file becomes one release: unchanged services stay, a failing one asks, and both answers hold', async () => {
  const projectId = await site.project('stack', { bakeSeconds: 0 })
  const first = await site.start(projectId, stack('1'))
  const up = await site.ended(first)
  expect(up).toMatchObject({ status: 'ready', active: true })
  expect(states(up)).toEqual({ api: 'healthy', setup: 'healthy', web: 'healthy' })
  expect((await site.ask('stack.compose.test')).text).toBe('web 1')
  const { body: log } = await site.api('GET', `/api/deployments/${first}/logs?kind=build`)
  expect(log.data.map(({ line }: { line: string }) => line)).toContainEqual(expect.stringContaining('privileged'))

  const before = await tasksOf(first)
  const second = await site.start(projectId, { ...stack('1'), 'web/version': 'web 2' })
  expect(await site.ended(second)).toMatchObject({ status: 'ready' })
  const after = await tasksOf(second)
  expect(after.api).toBe(before.api)
  expect(after.web).not.toBe(before.web)
  expect((await site.ask('stack.compose.test')).text).toBe('web 2')

  const third = await site.start(projectId, stack('3', 'web'))
  const held = await site.ended(third)
  expect(held).toMatchObject({ status: 'partial_failure', waitingOn: { kind: 'decision' }, error: { service: 'web' } })
  expect(states(held)).toEqual({ api: 'healthy', setup: 'healthy', web: 'restored' })
  expect((await site.ask('stack.compose.test')).text).toBe('web 2')
  expect((await site.api('DELETE', `/api/deployments/${third}`)).status).toBe(400)
  const waits = await site.start(projectId, stack('4', 'web'))
  expect((await site.show(waits)).status).toBe('queued')

  const rejected = await site.api('POST', `/api/deployments/${third}/reject`)
  expect(rejected.status).toBe(202)
  const row = (name: string) => rejected.body.services.find((one: { name: string }) => one.name === name)
  expect(row('api').ran).toEqual(row('api').willRun)
  expect(row('api').runs).not.toEqual(row('api').ran)
  expect((await site.api('POST', `/api/deployments/${third}/keep`)).status).toBe(400)
  await site.until(third, (seen) => seen.status === 'rejected')

  await site.until(waits, (seen) => seen.status === 'partial_failure')
  expect(await tasksOf(second)).toMatchObject({ web: after.web })
  expect((await site.api('POST', `/api/deployments/${waits}/keep`)).status).toBe(202)
  await site.until(waits, (seen) => seen.active)
  expect(await site.show(waits)).toMatchObject({ status: 'partial_failure', decision: 'kept' })
  expect((await site.ask('stack.compose.test')).text).toBe('web 2')
  const usage = async (id: string) =>
    (await site.api('GET', `/api/deployments/${id}/usage`)).body.data.map(({ service }: { service: string }) => service)
  expect((await usage(waits)).toSorted()).toEqual(['api', 'web'])
  // What runs of it by now is of another release.
  expect(await usage(third)).toEqual([])
  await restartKeeps(waits)
  const volumes = await site.api('GET', `/api/projects/${projectId}/volumes`)
  expect(volumes.body.data).toHaveLength(1)
  expect((await site.api('DELETE', `/api/deployments/${waits}?force=true`)).status).toBe(200)
  expect((await site.api('DELETE', `/api/projects/${projectId}?volumes=delete`)).status).toBe(200)
}, 240_000)

/** A restart of a release that was kept in part tells nobody that what failed in it is well. */
async function restartKeeps(id: string): Promise<void> {
  const known = (await site.show(id)).services
  expect(known.find(({ name }) => name === 'web')).toMatchObject({ status: 'restored', error: { service: 'web' } })
  expect((await site.api('POST', `/api/deployments/${id}/restart`)).status).toBe(202)
  expect((await site.show(id)).services.find(({ name }) => name === 'api')?.status).toBe('pending')
  const isOver = async () => (await site.show(id)).services.every(({ status }) => /^(healthy|restored)$/.test(status))
  await expect.poll(isOver, { timeout: 90_000 }).toBe(true)
  expect((await site.show(id)).services).toEqual(known)
}

test('what a compose file asks for and cannot be had is refused with its place', async () => {
  const projectId = await site.project('wrong')
  const id = await site.start(projectId, {
    'compose.yaml': 'services:\n  web:\n    image: busybox:1\n    env_file: /etc/passwd\n',
  })
  const { status, error } = await site.ended(id)
  expect([status, error?.code, error?.step]).toEqual(['failed', 'invalid_path', 'source'])
  expect(error?.message).toContain('env_file')
}, 60_000)

test('where one does not build nothing was made of the others: none of them says that it is built', async () => {
  const projectId = await site.project('unbuilt', { bakeSeconds: 0 })
  const files = { ...stack('1'), 'web/Dockerfile': 'FROM busybox:1\nRUN exit 7\n' }
  const seen = await site.ended(await site.start(projectId, files))
  expect(seen).toMatchObject({ status: 'failed', error: { code: 'build_failed', service: 'web' } })
  expect(states(seen)).toEqual({ api: 'pending', setup: 'pending', web: 'failed' })
  for (const service of seen.services) expect(service).toMatchObject({ image: null, digest: null })
})
