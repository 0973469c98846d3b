import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { buildApp } from '../../../src/http/app.ts'
import { createMetrics } from '../../../src/http/metrics.ts'

const world = await startWorld()
const { owner } = await world.org()

test('a request leaves one JSON line with its id and no secret', async () => {
  let written = ''
  const sink = new Writable({
    write(chunk, _, done) {
      written += chunk
      done()
    },
  })
  const logger = pino({ level: 'debug' }, sink)
  const { platform } = world
  const app = await buildApp({ platform, logger, metrics: createMetrics(platform) })
  const secrets = [owner.token, 'hunter2hunter2', 'value-of-a-variable', 'BEGIN OPENSSH', 'query-secret']
  const headers = {
    authorization: `Bearer ${owner.token}`,
    'x-request-id': 'one-line',
    cookie: 'slipway.session_token=hunter2hunter2',
  }
  const project = await app.inject({ method: 'POST', url: '/api/projects', headers, payload: { name: 'logged' } })
  const { id } = project.json()
  const value = { variables: [{ name: 'A', value: 'value-of-a-variable' }] }
  await app.inject({ method: 'PUT', url: `/api/projects/${id}/variables?x=query-secret`, headers, payload: value })
  const key = { kind: 'ssh', name: 'x', host: 'h', privateKey: 'BEGIN OPENSSH' }
  await app.inject({ method: 'POST', url: '/api/servers', headers, payload: key })
  const login = { email: 'a@example.com', password: 'hunter2hunter2' }
  await app.inject({ method: 'POST', url: '/api/auth/sign-in/email', payload: login })
  await app.close()
  const lines = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter((line) => line.requestId === 'one-line')).toHaveLength(3)
  expect(lines[0]).toMatchObject({ method: 'POST', path: '/api/projects', status: 201, orgId: owner.orgId })
  for (const secret of secrets) expect(written).not.toContain(secret)
})
