import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { createDatabase, type TestDatabase } from '../../../test-kit/database.ts'
import { type ServerProcess, startProcess } from '../../../test-kit/server-process.ts'
import { until } from '../../../test-kit/until.ts'
import { swarmRuntime } from '../../src/drivers/runtime/swarm.ts'
import { clearEngine } from './clear-engine.ts'
import { otherBuild } from './other-build.ts'
import { addOwner } from './owner.ts'

const lab = labPart('engine')
const engine = { kind: 'local' as const, socketPath: lab.socket }
const instance = `versions-${process.pid}`
const httpPort = 45_000 + (process.pid % 2000)
const dataDir = mkdtempSync(join(tmpdir(), 'slipway-versions-'))
const runtime = swarmRuntime({ instance })
const next = otherBuild('0998_next', 'create table next_thing (id int); alter table project add column next text', '')
const afterNext = otherBuild(
  '0999_after_next',
  'alter table project drop column repository',
  `contract: { floor: '0999_after_next', why: 'test' }`,
)
const processes: ServerProcess[] = []
let database: TestDatabase
let token = ''
let org = ''
let project = ''
const projects: string[] = []

beforeAll(async () => {
  database = await createDatabase({ migrated: false })
})
afterAll(async () => {
  await Promise.all(processes.map((one) => one.end()))
  await clearEngine(engine, { instance, org, projects })
  runtime.close()
  await database?.drop()
  for (const build of [next, afterNext]) build.remove()
  rmSync(dataDir, { recursive: true, force: true })
}, 90_000)

function start(build?: string): ServerProcess {
  const env = {
    SLIPWAY_DATABASE_URL: database.url,
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_DOCKER_SOCKET: lab.socket,
    SLIPWAY_BUILDX: lab.buildx,
    SLIPWAY_INSTANCE: instance,
    SLIPWAY_BASE_DOMAIN: 'versions.test',
    SLIPWAY_EDGE_HTTP_PORT: String(httpPort),
    SLIPWAY_EDGE_HTTPS_PORT: String(httpPort + 10_000),
  }
  const made = startProcess(env, [], build)
  processes.push(made)
  return made
}
const stop = async (server: ServerProcess) => {
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks at single fields of answers
async function call(server: ServerProcess, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(`${await server.url()}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}
const deploy = async (server: ServerProcess, folder: string): Promise<string> => {
  const service = { name: 'web', command: ['httpd', '-f', '-p', '8080', '-h', folder], port: 8080 }
  const body = { projectId: project, image: 'busybox:1', services: [service] }
  return (await call(server, 'POST', '/api/deployments/build/access', body)).deployment_id
}
const isReady = (server: ServerProcess, id: string) =>
  until(`${id} is ready`, 120_000, async () => {
    const { status, error } = await call(server, 'GET', `/api/deployments/${id}`)
    if (status === 'failed') throw new Error(JSON.stringify(error))
    return status === 'ready' ? true : undefined
  })
const runOf = async (id: string) =>
  (await database.pool.query('select status, version, owner from run where id = $1', [id])).rows[0]

test('two versions work beside each other through deployments, and the older one may be restarted', async () => {
  const old = start()
  await old.ready()
  ;({ orgId: org, token } = await addOwner(database.db))
  await call(old, 'POST', '/api/servers', { kind: 'local', name: 'here' })
  project = (await call(old, 'POST', '/api/projects', { name: 'app' })).id
  projects.push(project)
  await isReady(old, await deploy(old, '/etc'))

  const newer = start(next.path)
  await newer.ready()
  expect(newer.said()).toContain('0998_next')
  await stop(old)
  const again = start()
  await again.ready()

  // One of each: whoever is free takes what the older one submits, and only the newer one what it submits itself.
  await isReady(again, await deploy(again, '/bin'))
  const own = await deploy(newer, '/usr')
  await isReady(again, own)
  expect(await runOf(own)).toMatchObject({ version: 2, owner: expect.stringContaining(String(newer.pid)) })
  const first = (await call(again, 'GET', `/api/deployments?projectId=${project}`)).data.at(-1)
  const rollback = await call(again, 'POST', `/api/deployments/${first.id}/rollback`)
  await isReady(newer, rollback.deployment_id ?? rollback.id)

  // Left alone with what it does not know, the older one leaves that alone.
  const left = await deploy(newer, '/sbin')
  await stop(newer)
  const before = await runOf(left)
  await deployElsewhere(again)
  const meanwhile = await runOf(left)
  if (before?.status !== 'succeeded') expect(meanwhile?.owner ?? '').not.toContain(String(again.pid))
  const back = start(next.path)
  await back.ready()
  await isReady(back, left)

  const contracting = start(afterNext.path)
  expect(await contracting.ended).toMatchObject({ code: 1 })
  expect(contracting.said()).toMatch(/older version, which knows the schema up to 00\d\d_\w+, works on this database/)
  await stop(again)
  await stop(back)
  await database.pool.query(`update build_in_use set used_at = now() - interval '2 minutes'`)
  const last = start(afterNext.path)
  await last.ready()
  const late = start()
  expect(await late.ended).toMatchObject({ code: 1 })
  expect(late.said()).toContain('too old for its database')
}, 600_000)

/** Another lane, which shows that the older one works all the while. */
async function deployElsewhere(server: ServerProcess): Promise<void> {
  const kept = project
  project = (await call(server, 'POST', '/api/projects', { name: 'other' })).id
  projects.push(project)
  await isReady(server, await deploy(server, '/etc'))
  project = kept
}
