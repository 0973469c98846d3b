import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { SshAgent } from './agent.ts'
import { openSsh, type SshConnection } from './connection.ts'
import { hostKeyOfLine } from './host-key.ts'
import type { SshTarget } from './target.ts'

/** What Linux waits for something to send an acknowledgement along with. */
const LATE_ACK_MS = 40

let target: SshTarget
let wire: Wire
let life: AbortController
let connection: SshConnection
let folder: string

// Everything goes through a wire of ours, so that a test can count, stall and cut the connection.
beforeEach(async () => {
  const host = labPart('host1')
  const hostKey = hostKeyOfLine(readFileSync(host.hostKeyFile, 'utf8'))
  wire = await openWire(host.address, host.port)
  const privateKey = readFileSync(host.keyFile, 'utf8')
  target = { host: '127.0.0.1', port: wire.port, user: host.user, privateKey, hostKey }
  folder = mkdtempSync(join(tmpdir(), 'slipway-channels-'))
  life = new AbortController()
  connection = await openSsh(target, { signal: life.signal, deadlineMs: 20_000 })
})
afterEach(() => {
  connection.close()
  wire.close()
  rmSync(folder, { recursive: true })
})

describe('forwarded sockets', () => {
  test('forty concurrent requests share one connection', async () => {
    const agent = new SshAgent(connection, labPart('host1').remoteSocket)
    const answers = await Promise.all(Array.from({ length: 40 }, () => get(agent, '/containers/json')))
    expect(answers.map((answer) => answer.status)).toEqual(Array(40).fill(200))
    expect(wire.connections).toBe(1)
  })

  test('fifty requests in a row reuse their channel and wait for no timer', async () => {
    const agent = new SshAgent(connection, labPart('host1').remoteSocket)
    const times: number[] = []
    for (let i = 0; i < 50; i++) {
      const begin = performance.now()
      expect((await get(agent, '/_ping')).status).toBe(200)
      times.push(performance.now() - begin)
    }
    // TCP's timer for late acknowledgements would hold up every one of them; a busy machine holds up some.
    expect(times.toSorted((a, b) => a - b)[10]).toBeLessThan(LATE_ACK_MS)
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
    expect(inspect(agent, { depth: null, showHidden: true })).toBe('SshAgent')
  })

  test('a large body arrives whole through a reader that pauses', async () => {
    const size = 20_000_000
    const server = createServer((socket) => socket.on('error', () => {}).end(Buffer.alloc(size, 7)))
    await new Promise<void>((resolve) => server.listen(join(folder, 'large.sock'), resolve))
    const socket = await connection.openSocket(join(folder, 'large.sock'))
    let received = 0
    for await (const chunk of socket) {
      received += chunk.length
      if (received % 7 === 0) await new Promise(setImmediate)
    }
    expect(received).toBe(size)
    server.close()
  })

  test('a socket the server closes is not kept for the next request', async () => {
    const peers: Socket[] = []
    const server = createServer((socket) => {
      peers.push(socket)
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
    })
    await new Promise<void>((resolve) => server.listen(join(folder, 'idle.sock'), resolve))
    const agent = new SshAgent(connection, join(folder, 'idle.sock'))
    expect((await get(agent, '/')).body).toBe('ok')
    peers[0]?.end()
    await expect.poll(() => Object.values(agent.freeSockets).flat().length).toBe(0)
    expect((await get(agent, '/')).body).toBe('ok')
    for (const peer of peers) peer.destroy()
    server.close()
  })

  test('a socket that does not exist is refused, and SFTP tells why', async () => {
    await expect(connection.openSocket('/no/such.sock')).rejects.toMatchObject({ code: 'forward_refused' })
    expect(await connection.socketState('/no/such.sock')).toBe('missing')
  })

  test('a socket whose owner died is told from one that listens', async () => {
    const dead = join(folder, 'dead.sock')
    const script = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
    spawnSync(process.execPath, ['-e', script, dead])
    await expect(connection.openSocket(dead)).rejects.toMatchObject({ code: 'forward_refused' })
    expect(await connection.socketState(dead)).toBe('not_listening')
    expect(await connection.socketState(labPart('host1').remoteSocket)).toBe('listening')
  })
})

describe('files', () => {
  test('a file of /proc is read whole although it says it is empty', async () => {
    const text = (await connection.readFile('/proc/meminfo', 100_000)).toString()
    expect(text).toMatch(/^MemTotal:[\s\S]+\n$/)
  })

  test('a file is read up to the limit and no further', async () => {
    expect(await connection.readFile('/proc/meminfo', 8)).toEqual(Buffer.from('MemTotal'))
    expect(await connection.readFile('/dev/zero', 100_000)).toHaveLength(100_000)
  })

  test('a missing file says which and where, and the next read still works', async () => {
    const missing = connection.readFile('/no/such/file', 10)
    await expect(missing).rejects.toMatchObject({
      code: 'file_unreadable',
      message: expect.stringContaining('/no/such/file'),
    })
    expect(await connection.readFile('/proc/version', 5)).toEqual(Buffer.from('Linux'))
  })

  test("disk space is the file system's own", async () => {
    const { blocks, bsize } = statfsSync(folder)
    const space = await connection.diskSpace(folder)
    expect(space.totalBytes).toBe(blocks * bsize)
    expect(space.freeBytes).toBeGreaterThan(0)
  })
})

describe('a connection that ends early', () => {
  test('cut in the middle, everything under way fails as lost and the process lives', async () => {
    const agent = new SshAgent(connection, labPart('host1').remoteSocket)
    const idle = await connection.openSocket(labPart('host1').remoteSocket)
    const events = get(agent, '/events')
    const endless = connection.readFile('/dev/zero', 1_000_000_000)
    const failures = Promise.allSettled([events, endless])
    await expect.poll(() => wire.bytes).toBeGreaterThan(1_000_000)
    wire.cut()
    for (const outcome of await failures) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'connection_lost' } })
    }
    expect(idle.destroyed).toBe(true)
    await expect(connection.openSocket('/x')).rejects.toMatchObject({ code: 'connection_lost' })
    await expect(connection.readFile('/proc/version', 5)).rejects.toMatchObject({ code: 'connection_lost' })
  })

  test('stalled in the middle, each operation is given up at its deadline', async () => {
    const deadlineMs = 4000
    const impatient = await openSsh(target, { signal: life.signal, deadlineMs })
    await impatient.readFile('/proc/version', 5)
    wire.stall()
    const begin = performance.now()
    const outcomes = await Promise.allSettled([
      impatient.readFile('/proc/version', 5),
      impatient.diskSpace('/'),
      impatient.openSocket(labPart('host1').remoteSocket),
    ])
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'timeout' } })
    // Each for itself, not one after the other.
    expect(performance.now() - begin).toBeLessThan(2 * deadlineMs)
    impatient.close()
  })

  test('an aborted request ends at once even when the connection is stalled', async () => {
    const agent = new SshAgent(connection, labPart('host1').remoteSocket)
    expect((await get(agent, '/_ping')).status).toBe(200)
    wire.stall()
    const begin = performance.now()
    await expect(get(agent, '/_ping', AbortSignal.timeout(100))).rejects.toMatchObject({ name: 'AbortError' })
    // Long before the deadline of the connection.
    expect(performance.now() - begin).toBeLessThan(10_000)
  })

  test('aborting its signal ends it with the reason, also long after it was opened', async () => {
    const endless = connection.readFile('/dev/zero', 1_000_000_000)
    life.abort(new Error('shutting down'))
    await expect(endless).rejects.toThrow('shutting down')
    await expect(connection.openSocket('/x')).rejects.toThrow('shutting down')
  })

  test('closing ends the TCP connection and may be repeated', async () => {
    connection.close()
    connection.close()
    await expect.poll(() => wire.open).toBe(0)
  })
})

type Wire = Awaited<ReturnType<typeof openWire>>

async function openWire(host: string, port: number) {
  const pairs = new Set<[Socket, Socket]>()
  const server = createServer((near) => {
    const far = connect({ host, port, noDelay: true })
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    state.connections++
    far.on('data', (chunk) => {
      state.bytes += chunk.length
    })
    near.pipe(far).pipe(near)
    for (const end of pair) {
      end
        .on('error', () => {})
        .on('close', () => {
          pairs.delete(pair)
          for (const other of pair) other.destroy()
        })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const each = (act: (end: Socket) => unknown) => [...pairs].flat().forEach(act)
  const state = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    bytes: 0,
    get open() {
      return pairs.size
    },
    cut: () => each((end) => end.resetAndDestroy()),
    stall: () => each((end) => end.unpipe().pause()),
    close: () => {
      server.close()
      each((end) => end.destroy())
    },
  }
  return state
}

function get(
  agent: SshAgent,
  path: string,
  signal?: AbortSignal,
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: 'engine', path, agent, ...(signal && { signal }) }, async (answer) => {
      try {
        const chunks = await answer.toArray()
        resolve({ status: answer.statusCode, body: Buffer.concat(chunks).toString() })
      } catch (error) {
        reject(error)
      }
    })
    asked.on('error', reject).end()
  })
}
