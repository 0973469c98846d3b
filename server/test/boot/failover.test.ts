import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { type ServerProcess, startProcess } from '../../../test-kit/server-process.ts'
import { until } from '../../../test-kit/until.ts'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { connectEngine } from '../../src/drivers/engine/connect.ts'
import { tasksOf } from '../../src/drivers/runtime/find.ts'
import { LABEL } from '../../src/drivers/runtime/labels.ts'
import { swarmRuntime } from '../../src/drivers/runtime/swarm.ts'
import { clearEngine } from './clear-engine.ts'
import { type FailingPair, failingPair } from './failing-pair.ts'
import { addOwner } from './owner.ts'

const lab = labPart('engine')
const engine = { kind: 'local' as const, socketPath: lab.socket }
const instance = `failover-${process.pid}`
const httpPort = 43_000 + (process.pid % 2000)
const dataDir = mkdtempSync(join(tmpdir(), 'slipway-failover-'))
const runtime = swarmRuntime({ instance })
const processes: ServerProcess[] = []
const projects: Record<string, string> = {}
let pair: FailingPair
let org = ''
let call: (method: string, path: string, body?: unknown) => Promise<Answer>
// biome-ignore lint/suspicious/noExplicitAny: a test looks at single fields of answers
type Answer = any

beforeAll(async () => {
  pair = await failingPair()
  const { db, close } = openDatabase({ url: pair.url, connections: 1, onError: () => {} })
  await migrate(db)
  const { orgId, token } = await addOwner(db)
  org = orgId
  await close()
  const api = await start('api').ready()
  await start('worker').ready()
  await start('worker').ready()
  call = async (method, path, body) => {
    const answer = await fetch(`${api}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
  await call('POST', '/api/servers', { kind: 'local', name: 'here' })
  for (const name of ['slow', 'quick', 'unheard']) projects[name] = (await call('POST', '/api/projects', { name })).id
  const first = await Promise.all(Object.keys(projects).map((name) => deploy(name, ...serving('/etc'))))
  for (const id of first) expect((await ended(id)).status).toBe('ready')
}, 300_000)

afterAll(async () => {
  await Promise.all(processes.map((one) => one.end()))
  await clearEngine(engine, { instance, org, projects: Object.values(projects) })
  runtime.close()
  await pair?.remove()
  rmSync(dataDir, { recursive: true, force: true })
}, 120_000)

function start(role: 'api' | 'worker'): ServerProcess {
  const env = {
    SLIPWAY_DATABASE_URL: pair.url,
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_DOCKER_SOCKET: lab.socket,
    SLIPWAY_BUILDX: lab.buildx,
    SLIPWAY_INSTANCE: instance,
    SLIPWAY_BASE_DOMAIN: 'failover.test',
    SLIPWAY_EDGE_HTTP_PORT: String(httpPort),
    SLIPWAY_EDGE_HTTPS_PORT: String(httpPort + 10_000),
  }
  const made = startProcess(env, ['--role', role])
  processes.push(made)
  return made
}

const workers = () => processes.slice(1)
const deploy = async (name: string, image: string, ...command: string[]): Promise<string> => {
  const body = { projectId: projects[name], image, services: [{ name: 'web', command, port: 8080 }] }
  return (await call('POST', '/api/deployments/build/access', body)).deployment_id
}
const SLOW = `setTimeout(() => require('node:http').createServer((_, r) => r.end()).listen(8080), 25_000)`
const serving = (folder: string): [string, ...string[]] => ['busybox:1', 'httpd', '-f', '-p', '8080', '-h', folder]
const show = (id: string): Promise<Answer> => call('GET', `/api/deployments/${id}`)
const OVER = ['ready', 'failed', 'cancelled', 'superseded', 'partial_failure']
const ended = (id: string) =>
  until(`${id} ends`, 180_000, async () => {
    const seen = await show(id).catch(() => undefined)
    return seen && OVER.includes(seen.status) ? seen : undefined
  })
const activeOf = async (name: string) => {
  const text = 'select id from deployment where active and project_id = $1'
  return (await pair.query<{ id: string }>(text, [projects[name]]))[0]?.id
}
const onEngine = async (name: string): Promise<string | null | undefined> => {
  const seen = await runtime.observe(engine, projects[name] ?? '', { signal: AbortSignal.timeout(30_000) })
  return seen.find(({ service }) => service === 'web')?.deployment
}
/** All that the engine ever started for it, alive or dead: of a second rollout there would be a second one. */
async function started(name: string, deployment: string): Promise<number> {
  const signal = AbortSignal.timeout(30_000)
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 30_000 })
  const labels = { [LABEL.instance]: instance, [LABEL.project]: projects[name] ?? '', [LABEL.deployment]: deployment }
  return (await tasksOf(docker, labels, signal).finally(close)).length
}

test('a replica promoted without the last claims: each run ends right, with one rollout each, and engines follow the database', async () => {
  // Nobody answers calls while these are submitted, so that the replica knows of them and not of their claims.
  for (const worker of workers()) worker.signal('SIGSTOP')
  const slow = await deploy('slow', 'node:24-slim', 'node', '-e', SLOW)
  const quick = await deploy('quick', ...serving('/bin'))
  const before = await activeOf('unheard')
  await pair.caughtUp()
  pair.part()
  for (const worker of workers()) worker.signal('SIGCONT')
  // One is in the middle of its rollout, one has come to its end, and one was submitted and released: all of it unheard.
  expect((await ended(quick)).status).toBe('ready')
  const unheard = await deploy('unheard', ...serving('/bin'))
  const { status, number } = await ended(unheard)
  expect(status).toBe('ready')
  await until('the rollout has begun', 60_000, async () => ((await onEngine('slow')) === slow ? true : undefined))
  expect((await show(slow)).status).toBe('deploying')
  await pair.failOver()

  for (const id of [slow, quick]) expect((await ended(id)).status).toBe('ready')
  expect(await Promise.all([started('slow', slow), started('quick', quick)])).toEqual([1, 1])
  // The database knows nothing of the third: its project goes back to what is written down, and on from there.
  await expect(show(unheard)).rejects.toThrow('404')
  await until('the engine follows', 120_000, async () => ((await onEngine('unheard')) === before ? true : undefined))
  const next = await deploy('unheard', ...serving('/usr'))
  expect(await ended(next)).toMatchObject({ status: 'ready', number })
  expect(workers().every((worker) => worker.running())).toBe(true)
  expect(workers().map((worker) => worker.said().includes('drops what it holds'))).toEqual([true, true])
}, 600_000)
