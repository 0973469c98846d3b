import { afterAll, expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('decide')
const compose = (pages: string, worker: string, more = '') => ({
  'compose.yaml': `
services:
  web:
    image: busybox:1
    command: ["httpd", "-f", "-p", "8080", "-h", "${pages}"]
    expose: ["8080"]
  worker:
    image: busybox:1
    command: ${worker}
${more}`,
})
const WORKS = '["httpd", "-f", "-p", "9000"]'
const FAILS = '["ls", "/nothing"]'

const running = async (id: string): Promise<Record<string, string>> => {
  const { body } = await site.api('GET', `/api/deployments/${id}/info`)
  const tasks = (body.data as { service: string; deployment: string; state: string }[]).filter(
    ({ state }) => state === 'running',
  )
  return Object.fromEntries(tasks.map(({ service, deployment }) => [service, deployment]))
}
type Form = { deploymentId: string; number: number } | null
type Told = { name: string; status: string | null } & Record<'ran' | 'runs' | 'ifKept' | 'ifRejected', Form>
/** What is said before anybody decides: per service, which deployment's form of it there is and would be. */
async function told(id: string) {
  const { status, body } = await site.api('GET', `/api/deployments/${id}/decision`)
  expect([status, body.unreachable, body.seenAt]).toEqual([200, undefined, expect.any(String)])
  const of = (way: 'ran' | 'runs' | 'ifKept' | 'ifRejected') =>
    Object.fromEntries(
      (body.services as Told[]).flatMap(({ name, [way]: form }) => (form ? [[name, form.deploymentId]] : [])),
    )
  return { body, runs: of('runs'), ifKept: of('ifKept'), ifRejected: of('ifRejected') }
}
/** What is to run of the project by the engine and does, whichever deployment brought it. */
const serving = async (): Promise<Record<string, string>> => {
  const { body } = await site.api('GET', `/api/projects/${projectId}/serving`)
  const up = (
    body.data as { service: string; deploymentId: string; replicas: Record<'wanted' | 'running', number> }[]
  ).filter(({ replicas }) => replicas.wanted > 0 && replicas.running > 0)
  return Object.fromEntries(up.map(({ service, deploymentId }) => [service, deploymentId]))
}
const projectId = await site.project('half', { bakeSeconds: 0 })
let first = ''
afterAll(async () => {
  for (const { id, active } of (await site.api('GET', `/api/deployments?projectId=${projectId}`)).body.data)
    if (active) await site.api('DELETE', `/api/deployments/${id}?force=true`)
})

/** Its web comes up with other pages, its worker does not. */
async function partlyFailed(more?: string) {
  const id = await site.start(projectId, compose('/bin', FAILS, more))
  const seen = await site.ended(id)
  expect(seen).toMatchObject({ status: 'partial_failure', decision: 'pending', active: false })
  expect(seen.waitingOn).toMatchObject({ kind: 'decision', since: expect.any(String), options: ['keep', 'reject'] })
  return id
}

test('rejected, every service is again what it was before, and so is the active release', async () => {
  first = await site.start(projectId, compose('/etc', WORKS))
  expect(await site.ended(first)).toMatchObject({ status: 'ready', active: true, decision: null })
  const second = await partlyFailed()
  const before = await told(second)
  expect(before.runs).toEqual({ web: second, worker: first })
  expect(before.ifRejected).toEqual({ web: first, worker: first })
  expect(before.body.reject).toMatchObject({ replaced: ['web'], removed: [] })
  expect(await serving()).toEqual(before.runs)
  const answer = await site.api('POST', `/api/deployments/${second}/reject`)
  expect([answer.status, answer.body.success, answer.body.deployment.id]).toEqual([202, true, second])
  expect(await site.until(second, ({ status }) => status === 'rejected')).toMatchObject({ decision: 'rejected' })
  expect(await site.show(first)).toMatchObject({ active: true })
  expect(await running(first)).toEqual(before.ifRejected)
  await expect.poll(serving, { timeout: 20_000 }).toEqual(before.ifRejected)
  await expect.poll(() => running(second), { timeout: 60_000 }).toEqual({})
  expect((await site.ask('half.decide.test', '/hostname')).status).toBe(200)
}, 240_000)

test('kept, what came up stays and the rest is of the version before; what was new and failed is gone', async () => {
  const third = await partlyFailed(`  extra:\n    image: busybox:1\n    command: ${FAILS}\n`)
  const before = await told(third)
  expect(before.ifKept).toEqual({ web: third, worker: first })
  expect(before.body.keep).toMatchObject({ replaced: [], removed: [] })
  expect(before.body.services).toContainEqual(
    expect.objectContaining({ name: 'extra', status: 'removed', runs: null, ifKept: null, ifRejected: null }),
  )
  const answer = await site.api('POST', `/api/deployments/${third}/keep`)
  expect([answer.status, answer.body.success, answer.body.deployment.id]).toEqual([202, true, third])
  expect(await site.until(third, ({ active }) => active)).toMatchObject({ status: 'partial_failure', decision: 'kept' })
  expect(await running(third)).toEqual(before.ifKept)
  await expect.poll(serving, { timeout: 20_000 }).toEqual(before.ifKept)
  expect((await site.api('GET', `/api/deployments/${third}/decision`)).status).toBe(409)
  expect((await site.ask('half.decide.test', '/busybox')).status).toBe(200)
}, 240_000)
