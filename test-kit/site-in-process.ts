import { createHash } from 'node:crypto'
import type { Deployment } from '@slipway/contract/deployment-shape'
import { afterAll, beforeAll, expect } from 'vitest'
import { labPart } from '../lab/ask.ts'
import type { Config } from '../server/src/config.ts'
import { deploying } from './deploying.ts'
import { cleared } from './engine.ts'
import { visit } from './visit.ts'
import { startWorld } from './world.ts'

/** What tests look at of a deployment. */
export type Seen = {
  id: string
  number: number
  status: Deployment['status']
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
  const instance = `${name}-${httpPort}`
  const world = await startWorld({
    localEngine: engine.socket,
    instance,
    baseDomain: `${name}.test`,
    edge: {
      image: 'caddy:2',
      httpPort,
      httpsPort: httpPort + 20_000,
      publicHttpPort: httpPort,
      publicHttpsPort: httpPort + 20_000,
    },
    builder: { buildx: engine.buildx, helperImage: 'busybox:1' },
    ...overrides,
  })
  const org = await world.org()
  const { api } = org.owner
  let worker: { drain(): Promise<void> } | undefined
  beforeAll(async () => {
    worker = await world.work()
    await api('POST', '/api/servers', { kind: 'local', name: 'here' })
  })
  afterAll(async () => {
    await worker?.drain()
    // Nothing of a test stays on the shared engine, and nobody waits for it to end in good order.
    await cleared(engine.socket, instance).catch((error: Error) => console.warn(error.message))
    const target = { kind: 'local' as const, socketPath: engine.socket }
    const signal = AbortSignal.timeout(60_000)
    await world.removeEdge(target, signal).catch(() => {})
    await world.platform.runtime.owner.release(target, org.id, { signal }).catch(() => {})
  }, 120_000)

  const kit = deploying<Seen>({
    send: async (method, path, type, body) => {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      const answer = await api(method, path, bytes, bytes && { 'content-type': type })
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer.body
    },
    ask: async (method, path, body) => {
      const answer = await api(method, path, body)
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer.body
    },
    seconds: 120,
    // Four a second: each look costs the server and the database what a machine full of tests has not.
    everyMs: 250,
  })
  const { upload, deploy, show, until, ended } = kit
  const project = (called: string, settings: object = {}) => kit.project(called, { settings })
  const ask = async (host: string, path = '/') => {
    const { status, text } = await visit({ address: engine.address, port: httpPort }, host, path)
    return { status, text }
  }
  return { world, org, api, httpPort, upload, project, start: deploy, show, until, ended, ask }
}
