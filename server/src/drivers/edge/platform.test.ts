import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { answers, ask, edgeBench } from '../../../../test-kit/edge.ts'
import { caddyEdge } from './caddy.ts'
import { type EdgeEngine, PLATFORM } from './edge.ts'

const bench = edgeBench(labPart('caddy').image)
const { address, socket: socketPath } = labPart('engine')
const docker = new Docker({ socketPath })
const engine: EdgeEngine<null> = {
  connect: async () => ({ docker, explain: async (error) => error, close: () => {} }),
}
const edge = caddyEdge(engine, { name: bench.name })
const folder = mkdtempSync(join(tmpdir(), 'platform-'))
const platformSocket = join(folder, 'http.sock')
const settings = { ...bench.settings, publicHttpPort: 80, publicHttpsPort: 443, platformSocket }
const at = { address, port: settings.httpPort }

const listening = () => {
  const server = createServer((request, response) =>
    response.end(JSON.stringify({ from: request.headers['x-forwarded-for'], host: request.headers.host })),
  )
  return new Promise<typeof server>((done) => server.listen(platformSocket, () => done(server)))
}
let server: Awaited<ReturnType<typeof listening>>

beforeAll(async () => {
  server = await listening()
  await edge.ensure(null, settings)
})
afterAll(async () => {
  server.close()
  await edge.remove(null)
  rmSync(folder, { recursive: true })
})

const own = { pathPrefix: null, project: PLATFORM, service: 'server', port: 1 }

test('the platform’s own name leads to its socket, and the edge says who comes, whatever they say themselves', async () => {
  await edge.reconcile(null, [{ ...own, host: 'slipway.test' }])
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  const { json } = await answers({ ...at, host: 'slipway.test', headers })
  expect(json.host).toBe('slipway.test')
  expect(json.from).not.toContain('203.0.113.9')
  expect(await edge.state(null)).toMatchObject([{ host: 'slipway.test', project: PLATFORM }])
})

test('a socket that is made anew is seen by the same edge', async () => {
  await new Promise((done) => server.close(done))
  server = await listening()
  expect((await ask({ ...at, host: 'slipway.test' })).status).toBe(200)
})

test('with a certificate it is sent to https at the port that visitors see', async () => {
  await edge.reconcile(null, [{ ...own, host: 'slipway.test', secure: 'redirect' }])
  const moved = await answers({ ...at, host: 'slipway.test', path: '/x?y=1' }, 308)
  expect(moved.location).toBe('https://slipway.test/x?y=1')
})
