import { expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('wrong')

type Service = { name: string; waitingFor?: { port: number; since: string | null; open: object[] } | null }

const begin = async (command: string[], image = 'busybox:1') => {
  const projectId = await site.project(`p${Math.random().toString(36).slice(2, 8)}`, { bakeSeconds: 0 })
  const services = [{ name: 'web', command, port: 8080 }]
  const { body, text } = await site.api('POST', '/api/deployments/build/access', {
    projectId,
    image,
    services,
  })
  expect(body.deployment_id, text).toBeDefined()
  return body.deployment_id as string
}
const waitingFor = (seen: { services: object[] }) => (seen.services[0] as Service | undefined)?.waitingFor

test('a port that is waited for is told meanwhile, and one that is known to be wrong ends it after the first try', async () => {
  const id = await begin(['httpd', '-f', '-p', '80', '-h', '/etc'])
  const waiting = await site.until(id, (seen) => waitingFor(seen)?.open.length === 1)
  expect(waiting.status).toBe('deploying')
  expect(waitingFor(waiting)).toEqual({
    port: 8080,
    since: expect.stringMatching(/^20/),
    open: [{ port: 80, local: false }],
  })

  const ended = await site.ended(id)
  expect(ended).toMatchObject({
    status: 'failed',
    error: { code: 'port_not_listening', message: expect.stringContaining('listens on 80; the platform expects 8080') },
  })
  expect(waitingFor(ended) ?? null).toBeNull()
  const { text } = await site.api('GET', `/api/deployments/${id}/stream?since=0`)
  const events = String(text).split('\n\n')
  const told = events.filter((event) => event.startsWith('id:') && event.includes('"waitingFor"'))
  expect(told.at(-1)).toMatch(/"waitingFor": ?\{.*"port": ?8080/)
  expect(text).toContain('the service listens on 80.')
  // By what the engine did, not by the clock of a busy machine: one container, not three.
  const failed = events.filter((event) => /"tasks": ?\{[^}]*"failed": ?[1-9]/.test(event))
  expect(failed.every((event) => /"failed": ?1\b/.test(event))).toBe(true)
  const { startedAt, finishedAt } = ended.timing as { startedAt?: string; finishedAt: string | null }
  // Three tries are more than two minutes, on an idle machine as on a busy one.
  expect(Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')).toBeLessThan(90_000)
}, 200_000)

test('an application that opens its port late, after one for its metrics, comes up', async () => {
  const open = (port: number) => `require('http').createServer((q, r) => r.end()).listen(${port})`
  const id = await begin(['node', '-e', `${open(9090)}; setTimeout(() => ${open(8080)}, 12000)`], 'node:24-slim')
  await site.until(id, (seen) => waitingFor(seen)?.open.length === 1)
  const ended = await site.ended(id)
  expect(ended, JSON.stringify(ended.error)).toMatchObject({ status: 'ready' })
  expect(waitingFor(ended) ?? null).toBeNull()
}, 120_000)
