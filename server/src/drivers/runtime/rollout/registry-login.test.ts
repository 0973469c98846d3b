import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { publish } from '../../../../../lab/private-registry/publish.ts'
import { type PrivateRegistry, startPrivateRegistry } from '../../../../../lab/private-registry/start.ts'
import { trialRuntime, trialSpec } from '../../../../../test-kit/runtime.ts'
import { until } from '../../../../../test-kit/until.ts'
import { callEngine } from '../../engine/ask.ts'
import { connectEngine } from '../../engine/connect.ts'
import { findService } from '../find.ts'

const part = labPart('engine')
const engine = { kind: 'local', socketPath: part.socket } as const
const { signal } = new AbortController()
const project = `prj_r${randomBytes(4).toString('hex')}`
const instance = `test-login-${project}`
const runtime = trialRuntime({ instance })
const account = { username: 'alice', password: `pw-${randomBytes(8).toString('hex')}`, path: 'team' }
const SECONDS = 8
let registry: PrivateRegistry
let app: { image: string; digest: string }
let docker: Awaited<ReturnType<typeof connectEngine>>['docker']
let close = () => {}

beforeAll(async () => {
  registry = await startPrivateRegistry([account], SECONDS)
  app = await publish(registry, account, { name: 'team/app:1' })
  const connection = await connectEngine(engine, { signal, deadlineMs: 10_000 })
  docker = connection.docker
  close = connection.close
}, 180_000)

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  for (const image of [app.digest, app.image]) await runtime.images.remove(engine, image, { signal }).catch(() => {})
  runtime.close()
  close()
  await registry.stop()
}, 240_000)

const login = () => ({ host: registry.address, username: account.username, password: account.password })
const key = { project, service: 'web' }
const times = { intervalMs: 1000, timeoutMs: 5000, retries: 3, startPeriodMs: 1000 }
const spec = (deployment: string, image: string) =>
  trialSpec({ ...key, deployment }, 'good', {
    image,
    entrypoint: ['sleep', '100000'],
    healthcheck: { kind: 'none', ...times },
  })
const watch = (deployment: string) => runtime.watch(engine, key, { deployment, signal, stableMs: 300 })

test('an image of a private registry comes with a login, and neither without one nor with a wrong one', async () => {
  await expect(runtime.images.pull(engine, app.image, { signal })).rejects.toMatchObject({ code: 'image_denied' })
  const wrong = { ...login(), password: 'wrong' }
  const failed = await runtime.images.pull(engine, app.image, { signal, login: wrong }).catch((error) => error)
  expect(failed).toMatchObject({ code: 'image_denied' })
  expect(JSON.stringify([failed.message, failed.hint])).not.toContain('wrong"')
  await runtime.images.pull(engine, app.image, { signal, login: login() })
  const facts = await runtime.images.inspect(engine, app.image, { signal })
  expect(facts).toMatchObject({ pinned: app.digest, labels: { published: 'team/app:1' } })
}, 60_000)

test('whether a registry hands an image out is asked of it, also where the engine has the image', async () => {
  const offered = (image: string, how: ReturnType<typeof login> | null) =>
    runtime.images.offered(engine, image, { signal, login: how })
  for (const image of [app.image, app.digest]) {
    expect(await offered(image, login())).toBe(true)
    expect(await offered(image, null)).toBe(false)
    expect(await offered(image, { ...login(), password: 'wrong' })).toBe(false)
  }
  expect(await offered(`${registry.address}/team/none:1`, login())).toBe(false)
}, 60_000)

test('a task that is started again fetches it by itself, long after the token of the rollout has ended', async () => {
  await runtime.apply(engine, spec('d1', app.digest), { signal, login: login() })
  expect(await watch('d1')).toMatchObject({ outcome: 'healthy' })
  const service = await findService(docker, { ...key, instance }, signal)
  expect(JSON.stringify(service)).not.toContain(account.password)
  await new Promise((later) => setTimeout(later, (SECONDS + 2) * 1000))
  const before = registry.tokens.given
  await until('it to be fetched again', 200_000, async () => {
    if (registry.tokens.given === before) await withoutImage()
    const tasks = await runtime.tasks(engine, project, { signal })
    return (registry.tokens.given > before && tasks.some(({ state }) => state === 'running')) || undefined
  })
}, 240_000)

/** Takes the container and all of the image. Swarm may start the next one before the image is gone: then once more. */
async function withoutImage(): Promise<void> {
  const query = { all: 1, filters: { label: [`slipway.project=${project}`] } }
  const found = await callEngine<{ Id: string; ImageID: string }[]>(docker, { path: '/containers/json', query }, signal)
  for (const { Id } of found) await drop(`/containers/${Id}`)
  for (const image of [app.image, app.digest, ...found.map(({ ImageID }) => ImageID)])
    await drop(`/images/${encodeURIComponent(image)}`)
}

const drop = (path: string) =>
  callEngine(docker, { method: 'DELETE', path, query: { force: 1 } }, signal).catch(() => undefined)

test('what was given for one registry never goes to that of the next image', async () => {
  await runtime.apply(engine, spec('d1', app.digest), { signal, login: login() })
  expect(await watch('d1')).toMatchObject({ outcome: 'healthy' })
  const heard: (string | undefined)[] = []
  const other = createServer((request, response) => {
    heard.push(request.headers.authorization)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="give it to me"' }).end()
  })
  await new Promise<void>((listening) => other.listen(0, part.gateway, listening))
  const image = `${part.gateway}:${(other.address() as AddressInfo).port}/x@sha256:${'a'.repeat(64)}`
  await runtime.apply(engine, spec('d2', image), { signal, interrupt: true })
  expect((await watch('d2')).outcome).not.toBe('healthy')
  expect(heard.length).toBeGreaterThan(0)
  expect(heard.filter((said) => said !== undefined)).toEqual([])
  await runtime.remove(engine, key, { signal, deployments: 'any' })
  other.closeAllConnections()
  other.close()
}, 240_000)
