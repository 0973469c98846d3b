import { createHash } from 'node:crypto'
import { get } from 'node:http'
import { afterAll, beforeAll, expect } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import type { Config } from '../../src/config.ts'
import { startWorld } from '../harness.ts'

const ENDED = new Set(['ready', 'failed', 'cancelled', 'partial_failure', 'rejected', 'superseded'])

/** What tests look at of a deployment. */
export type Seen = {
  id: string
  number: number
  status: string
  active: boolean
  trigger: string
  urls: string[]
  timing: { finishedAt: string | null }
  steps: { name: string }[]
  services: { name: string; status: string }[]
  waitingOn: { promptId?: string } | null
  error: {
    code: string
    step: string | null
    service: string | null
    message: string
    hint: string | null
    logSeq: number | null
  } | null
}

/** A whole instance that deploys to the lab's engine: its own edge ports, its own marks on what it makes. */
export async function startSite(name: string, overrides: Partial<Config> = {}) {
  const engine = labPart('engine')
  const httpPort =
    20_000 +
    (Number.parseInt(createHash('sha256').update(`${name}${process.pid}`).digest('hex').slice(0, 6), 16) % 20_000)
  const world = await startWorld({
    localEngine: engine.socket,
    instance: `${name}-${httpPort}`,
    baseDomain: `${name}.test`,
    edge: { image: 'caddy:2', httpPort, httpsPort: httpPort + 20_000 },
    builder: { buildx: engine.buildx, helperImage: 'busybox:1' },
    ...overrides,
  })
  const org = await world.org()
  const { api } = org.owner
  let worker: { drain(): Promise<void> } | undefined
  const running: string[] = []
  beforeAll(async () => {
    worker = await world.work()
    await api('POST', '/api/servers', { kind: 'local', name: 'here' })
  })
  afterAll(async () => {
    await worker?.drain()
    // Nothing of a test stays on the shared engine.
    const { runtime } = world.platform
    const target = { kind: 'local' as const, socketPath: engine.socket }
    const signal = AbortSignal.timeout(60_000)
    for (const project of running)
      await runtime.remove(target, { project, service: 'web' }, { signal, deployments: 'any' }).catch(() => {})
    await world.removeEdge(target, signal).catch(() => {})
    const roots = { services: [], networks: [], images: [], before: new Date(Date.now() + 60_000) }
    await runtime.collectGarbage(target, roots, { signal }).catch(() => {})
    await runtime.owner.release(target, org.id, { signal }).catch(() => {})
  }, 120_000)

  const upload = async (files: Record<string, string>): Promise<{ id: string; sent: number }> => {
    const listed = Object.entries(files).map(([path, text]) => {
      const body = Buffer.from(text)
      return { path, body, sha256: createHash('sha256').update(body).digest('hex'), size: body.length, mode: 0o644 }
    })
    const session = await api('POST', '/api/projects/folder-sessions', {
      files: listed.map(({ body: _, ...file }) => file),
    })
    const id = session.body.uploadSessionId
    for (const sha of session.body.missing) {
      const file = listed.find((candidate) => candidate.sha256 === sha)
      const put = await api('PUT', `/api/projects/folder-sessions/${id}/blobs/${sha}`, file?.body, {
        'content-type': 'application/octet-stream',
      })
      expect(put.status).toBe(200)
    }
    expect((await api('POST', `/api/projects/folder-sessions/${id}/seal`)).status).toBe(200)
    return { id, sent: session.body.missing.length }
  }
  const project = async (called: string, settings: object = {}): Promise<string> => {
    const { body } = await api('POST', '/api/projects', { name: called, settings })
    running.push(body.id)
    return body.id
  }
  const start = async (projectId: string, files: Record<string, string>, more: object = {}): Promise<string> => {
    const { id } = await upload(files)
    const answer = await api('POST', '/api/deployments/build/access', { projectId, uploadSessionId: id, ...more })
    expect(answer.status, answer.text).toBe(201)
    return answer.body.deployment_id
  }
  const show = async (id: string): Promise<Seen> => (await api('GET', `/api/deployments/${id}`)).body
  const until = async (id: string, wanted: (seen: Seen) => boolean, seconds = 120): Promise<Seen> => {
    const deadline = Date.now() + seconds * 1000
    for (;;) {
      const seen = await show(id)
      if (wanted(seen)) return seen
      if (Date.now() > deadline || (ENDED.has(seen.status) && seen.timing.finishedAt !== null))
        throw new Error(`it did not come to that: ${JSON.stringify(seen)}`)
      await new Promise((done) => setTimeout(done, 100))
    }
  }
  const ended = (id: string) => until(id, (seen) => ENDED.has(seen.status))

  const ask = (host: string, path = '/') =>
    new Promise<{ status: number; text: string }>((done, fail) => {
      get({ host: engine.address, port: httpPort, path, headers: { host } }, (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => done({ status: answer.statusCode ?? 0, text }))
      }).on('error', fail)
    })
  return { world, org, api, httpPort, upload, project, start, show, until, ended, ask }
}

/** A small Node application, by what it does. */
export const app = (body: string, version = 1): Record<string, string> => ({
  'package.json': JSON.stringify({ name: 'app', private: true, scripts: { start: 'node server.js' } }),
  'server.js': `const version = ${version}\n${body}`,
})

export const GOOD = `require('node:http').createServer((q, r) => r.end('version ' + version)).listen(process.env.PORT)`
