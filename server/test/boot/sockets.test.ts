import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test-kit/database.ts'
import { plainEnvironment } from '../../../test-kit/server-process.ts'
import { until } from '../../../test-kit/until.ts'
import { addOwner } from './owner.ts'

let database: TestDatabase
const folder = mkdtempSync(join(tmpdir(), 'slipway-sockets-'))
let socketPath = ''
const notified = join(folder, 'notified')
const held: Server[] = []
const started: ChildProcess[] = []

beforeAll(async () => {
  database = await createDatabase()
  // What systemd brings: it writes down whom it was called for.
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$@" "$NOTIFY_SOCKET" >> ${notified}\n`, {
    mode: 0o755,
  })
})

beforeEach(async () => {
  rmSync(notified, { force: true })
  socketPath = join(mkdtempSync(join(folder, 'run-')), 'http.sock')
  held.push(createServer().listen(0, '127.0.0.1'), createServer().listen(socketPath))
  await Promise.all(held.map((server) => once(server, 'listening')))
})

afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  }
  letGo()
})

afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

const fds = () => held.map((server) => (server as unknown as { _handle: { fd: number } })._handle.fd)

/** Only versions accept from here on. Closing takes the name of the socket away, of which there are two then. */
function letGo(): { tcp: Way; unix: Way } {
  const port = (held[0]?.address() as { port: number } | undefined)?.port ?? 0
  if (held.length > 0) linkSync(socketPath, `${socketPath}.kept`)
  for (const server of held.splice(0)) server.close()
  return { tcp: { host: '127.0.0.1', port }, unix: { socketPath: `${socketPath}.kept` } }
}

/** A version that inherits the sockets, which stay here when it ends. */
async function version(): Promise<{ child: ChildProcess; said: () => string }> {
  const child = spawn(process.execPath, ['--conditions=slipway-source', join(import.meta.dirname, 'activated.ts')], {
    env: {
      ...plainEnvironment(),
      PATH: `${folder}:${process.env.PATH}`,
      SLIPWAY_DATABASE_URL: database.url,
      SLIPWAY_DATA_DIR: join(folder, 'data'),
      LISTEN_FDS: '2',
      NOTIFY_SOCKET: '/run/told',
    },
    stdio: ['ignore', 'pipe', 'pipe', ...fds()],
  })
  started.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk))
  await until('it listens', 120_000, () => {
    if (child.exitCode !== null) throw new Error(said)
    return said.includes('slipway is listening') || undefined
  })
  return { child, said: () => said }
}

type Way = { socketPath: string } | { host: string; port: number }
/** Without a token: whoever is there says no, and that is an answer. */
const ask = (way: Way, path = '/api/projects', headers: Record<string, string> = {}) =>
  new Promise<number>((done, fail) => {
    const asked = request({ ...way, path, headers, agent: false }, (answer) => {
      answer.resume().on('end', () => done(answer.statusCode ?? 0))
    })
    asked.on('error', fail).end()
  })

test('two versions share what systemd holds: nobody is refused while one replaces the other', async () => {
  const old = await version()
  const next = await version()
  const { tcp, unix } = letGo()
  const ways = [tcp, unix]
  const answers: number[] = []
  let asking = true
  const callers = ways.map(async (way) => {
    while (asking) answers.push(await ask(way))
  })
  await until('both are asked', 60_000, () => answers.length > 50 || undefined)
  old.child.kill('SIGTERM')
  expect(await once(old.child, 'exit')).toEqual([0, null])
  const before = answers.length
  await until('the next one goes on', 60_000, () => answers.length > before + 50 || undefined)
  asking = false
  await Promise.all(callers)
  expect(new Set(answers)).toEqual(new Set([401]))
  expect(readFileSync(notified, 'utf8')).toBe('--ready /run/told\n--ready /run/told\n')

  // Peers on the unix socket, and they alone, are believed about whom they speak for.
  const claimed = { 'x-forwarded-for': '198.51.100.7' }
  for (const way of ways) await ask(way, 'socketPath' in way ? '/by-unix' : '/by-tcp', claimed)
  const addressOf = (id: string) => new RegExp(`"path":"/${id}".*"address":"([^"]+)"`).exec(next.said())?.[1]
  await until('both are logged', 20_000, () => (addressOf('by-unix') && addressOf('by-tcp') ? true : undefined))
  expect([addressOf('by-unix'), addressOf('by-tcp')]).toEqual(['198.51.100.7', '127.0.0.1'])
})

test('whoever is connected to the second socket gets a last answer before a version ends', async () => {
  const { token } = await addOwner(database.db)
  const headers = { authorization: `Bearer ${token}` }
  const only = await version()
  const { unix } = letGo()
  const answers: number[] = []
  const callers = Array.from({ length: 12 }, async (_, n) => {
    // Another version may have the sockets by now: whether one can be asked is answered with yes to the last.
    const path = n % 2 === 0 ? '/readyz' : '/api/projects'
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let last = false; !last; ) {
      const answer = await get({ ...unix, path, headers, agent })
      answers.push(answer.statusCode ?? 0)
      last = answer.headers.connection === 'close'
      // Nobody asks without a pause: it is then that a connection looks as if it were not used.
      if (!last) await new Promise((next) => setTimeout(next, 250))
    }
    agent.destroy()
  })
  await until('all are answered', 60_000, () => answers.length > 100 || undefined)
  only.child.kill('SIGTERM')
  await Promise.all(callers)
  expect(new Set(answers)).toEqual(new Set([200]))
  expect(await once(only.child, 'exit')).toEqual([0, null])
})

const get = (options: object) =>
  new Promise<IncomingMessage>((done, fail) => {
    const asked = request(options, (answer) => answer.resume().on('end', () => done(answer)))
    asked.on('error', fail).end()
  })
