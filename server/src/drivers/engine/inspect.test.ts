import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { hostKeyOfLine } from '../ssh/host-key.ts'
import type { SshTarget } from '../ssh/target.ts'
import { askEngine } from './ask.ts'
import { engineConnections } from './connections.ts'
import type { EngineTarget } from './engine.ts'
import { explainLocal } from './explain.ts'
import { dockerInspector } from './inspect.ts'

let folder: string
let ssh: SshTarget & { hostKey: string }
const cleanups: (() => unknown)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-engine-'))
  const { address: host, port, user, keyFile, hostKeyFile } = labPart('host1')
  const hostKey = hostKeyOfLine(readFileSync(hostKeyFile, 'utf8'))
  ssh = { host, port, user, privateKey: readFileSync(keyFile, 'utf8'), hostKey }
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const cleanup of cleanups.splice(0)) await cleanup()
  rmSync(folder, { recursive: true })
})

/** The same suite on both ways to an engine. */
const ways = {
  local: (socketPath: string): EngineTarget => ({ kind: 'local', socketPath }),
  ssh: (socketPath: string): EngineTarget => ({ kind: 'ssh', ssh, socketPath }),
}
const engines = {
  local: () => ways.local(labPart('engine').socket),
  ssh: () => ways.ssh(labPart('host1').remoteSocket),
}

describe.for(['local', 'ssh'] as const)('an engine (%s)', (kind) => {
  test('a running one yields all facts and no notes', async () => {
    const facts = await inspect(engines[kind]())
    expect(facts.engine).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+/),
      storageDriver: expect.any(String),
    })
    expect(facts.engine.arch).toMatch(/^(amd64|arm64)$/)
    expect(facts.engine.cpus).toBeGreaterThan(0)
    expect(facts.disk?.path).toBe(facts.engine.rootDir)
    expect(facts.disk?.totalBytes).toBeGreaterThan(facts.disk?.freeBytes ?? 0)
    expect(facts.memory?.totalBytes).toBeGreaterThan(facts.memory?.availableBytes ?? 0)
    expect(facts.memory?.totalBytes).toBe(facts.engine.memoryBytes)
    expect(facts.swarm).toMatchObject({ state: 'active', isManager: true, error: null })
    expect(facts.images).toBeGreaterThan(0)
    expect(facts.notes).toEqual([])
  })

  test('a missing socket means the engine is not there', async () => {
    const failure = await refusal(ways[kind](join(folder, 'none.sock')))
    expect(failure).toMatchObject({ code: 'engine_unreachable', message: expect.stringContaining('no Docker socket') })
  })

  test('a socket left by a dead engine means it does not run', async () => {
    const dead = join(folder, 'dead.sock')
    const script = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
    spawnSync(process.execPath, ['-e', script, dead])
    const failure = await refusal(ways[kind](dead))
    expect(failure).toMatchObject({ code: 'engine_unreachable', message: expect.stringContaining('No Docker Engine') })
  })

  test('an engine that does not answer is given up at the deadline', async () => {
    await serve(createServer((socket) => void socket.on('error', () => {})))
    const begin = performance.now()
    expect(await refusal(ways[kind](join(folder, 'engine.sock')), 600)).toMatchObject({ code: 'engine_timeout' })
    // Fifteen seconds are usual.
    expect(performance.now() - begin).toBeLessThan(10_000)
  })

  test('an engine that sends us elsewhere is not followed', async () => {
    for (const location of ['http://127.0.0.1:9/secrets', 'ftp://127.0.0.1/', 'nothing:']) {
      await pretend((_, response) => response.writeHead(301, { location }).end())
      expect(await refusal(ways[kind](join(folder, 'engine.sock')))).toMatchObject({ code: 'engine_failed' })
      for (const cleanup of cleanups.splice(0)) await cleanup()
    }
  })

  test('an engine that stops answering after its version is given up too', async () => {
    await pretend((request, response) => {
      if (request.url === '/version') json(response, { Version: '26.1.5', ApiVersion: '1.45' })
    })
    expect(await refusal(ways[kind](join(folder, 'engine.sock')), 600)).toMatchObject({ code: 'engine_timeout' })
  })

  test('a part of the work with a deadline of its own says that the engine did not answer, not that it was aborted', async () => {
    await pretend((request, response) => {
      if (request.url === '/version') json(response, { Version: '26.1.5', ApiVersion: '1.45' })
    })
    const connections = engineConnections()
    const limits = { signal: new AbortController().signal, deadlineMs: 20_000 }
    const asked = connections.use(ways[kind](join(folder, 'engine.sock')), limits, ({ docker }) =>
      askEngine(docker, '/services', AbortSignal.timeout(300)),
    )
    await expect(asked).rejects.toMatchObject({ code: 'engine_timeout' })
    connections.close()
  })

  test('an engine older than 20.10 is refused with its version', async () => {
    await pretend((_request, response) => json(response, { Version: '19.03.15', ApiVersion: '1.40' }))
    const failure = await refusal(ways[kind](join(folder, 'engine.sock')))
    expect(failure).toMatchObject({ code: 'engine_too_old', message: expect.stringContaining('19.03.15') })
  })

  test('something else behind the socket is not taken for an engine', async () => {
    await pretend((_request, response) => response.end('<html>'))
    expect(await refusal(ways[kind](join(folder, 'engine.sock')))).toMatchObject({ code: 'engine_failed' })
  })

  test('an engine that fails after its version is a failure with its own words', async () => {
    await pretend((request, response) => {
      if (request.url === '/version') return json(response, { Version: '26.1.5', ApiVersion: '1.45' })
      response.statusCode = 500
      json(response, { message: 'the daemon is out of disk' })
    })
    const failure = await refusal(ways[kind](join(folder, 'engine.sock')))
    expect(failure).toMatchObject({ code: 'engine_failed', message: expect.stringContaining('out of disk') })
  })

  test('an engine that hangs up is unreachable', async () => {
    await serve(createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.destroy())))
    expect(await refusal(ways[kind](join(folder, 'engine.sock')))).toMatchObject({ code: 'engine_unreachable' })
  })

  test("aborting rejects with the caller's reason", async () => {
    const stop = new AbortController()
    await serve(createServer(() => stop.abort(new Error('no longer wanted'))))
    const target = ways[kind](join(folder, 'engine.sock'))
    await expect(dockerInspector().inspect(target, { signal: stop.signal })).rejects.toThrow('no longer wanted')
  })
})

describe('an engine on this machine', () => {
  test('a port that starts to listen shows up', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => server.close())
    const facts = await inspect(engines.local())
    expect(facts.hostKey).toBeNull()
    expect(facts.listeningPorts).toContain((server.address() as AddressInfo).port)
  })

  test("the environment's DOCKER_HOST never redirects a check", async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:1')
    expect((await inspect(engines.local())).engine.rootDir).toContain('engine')
  })

  // Tests run as root, to whom no socket is closed: the error is made by hand.
  test('a socket without permission is denied, not missing', () => {
    const error = Object.assign(new Error('connect EACCES'), { code: 'EACCES' })
    expect(explainLocal(error, '/run/docker.sock')).toMatchObject({ code: 'engine_denied' })
  })
})

describe('an engine over SSH', () => {
  test('the first check learns the host key, later ones hold it to it', async () => {
    const unpinned = { ...engines.ssh(), ssh: { ...ssh, hostKey: null } }
    expect((await inspect(unpinned, { learnHostKey: true })).hostKey).toBe(ssh.hostKey)
    expect(await refusal(unpinned)).toMatchObject({ code: 'host_key_unknown' })
    const other = { ...engines.ssh(), ssh: { ...ssh, hostKey: `ssh-ed25519 SHA256:${'B'.repeat(43)}` } }
    expect(await refusal(other)).toMatchObject({ code: 'host_key_mismatch' })
  })

  test("the ports are the server's, not ours", async () => {
    expect((await inspect(engines.ssh())).listeningPorts).toContain(ssh.port)
  })

  test('a server that never answers is a failure of SSH, within the deadline', async () => {
    const port = await relay((near) => void near)
    const target = { ...engines.ssh(), ssh: { ...ssh, host: '127.0.0.1', port } }
    expect(await refusal(target, 600)).toMatchObject({ driver: 'ssh', code: 'timeout' })
  })

  test('a connection cut in the middle is reported as lost', async () => {
    await pretend((request, response) => {
      if (request.url === '/version') json(response, { Version: '26.1.5', ApiVersion: '1.45' })
      else for (const wire of wires) wire.resetAndDestroy()
    })
    const wires: Socket[] = []
    const port = await relay((near) => {
      const far = connect(ssh.port, ssh.host).on('error', () => {})
      wires.push(near, far)
      near.pipe(far).pipe(near)
    })
    const target = {
      kind: 'ssh',
      ssh: { ...ssh, host: '127.0.0.1', port },
      socketPath: join(folder, 'engine.sock'),
    } as const
    expect(await refusal(target)).toMatchObject({ driver: 'ssh', code: 'connection_lost' })
  })
})

function inspect(target: EngineTarget, options: { learnHostKey?: boolean; deadlineMs?: number } = {}) {
  const { deadlineMs = 15_000, ...more } = options
  return dockerInspector({ deadlineMs }).inspect(target, { signal: new AbortController().signal, ...more })
}

function refusal(target: EngineTarget, deadlineMs = 15_000): Promise<unknown> {
  return inspect(target, { deadlineMs }).then(
    () => expect.unreachable('it was accepted'),
    (error) => error,
  )
}

/** An engine that misbehaves as asked; the lab's real one cannot be made to. */
async function pretend(answer: RequestListener): Promise<void> {
  await serve(createHttpServer(answer))
}

async function serve(server: Server): Promise<void> {
  await listen(server, { path: join(folder, 'engine.sock') })
}

async function relay(onConnection: (near: Socket) => void): Promise<number> {
  const server = createServer((near) => onConnection(near.on('error', () => {})))
  await listen(server, { port: 0, host: '127.0.0.1' })
  return (server.address() as AddressInfo).port
}

async function listen(server: Server, where: { path: string } | { port: number; host: string }): Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(where, resolve))
  cleanups.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
}

function json(response: Parameters<RequestListener>[1], body: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
}
