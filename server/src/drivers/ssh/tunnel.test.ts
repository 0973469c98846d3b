import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { openSsh, type SshConnection } from './connection.ts'
import { hostKeyOfLine } from './host-key.ts'
import { openTunnel, type Tunnel } from './tunnel.ts'

let folder: string
let local: string
let connection: SshConnection
let tunnel: Tunnel | undefined

beforeEach(async () => {
  const { address: host, port, user, keyFile, hostKeyFile } = labPart('host1')
  const hostKey = hostKeyOfLine(readFileSync(hostKeyFile, 'utf8'))
  const target = { host, port, user, privateKey: readFileSync(keyFile, 'utf8'), hostKey }
  connection = await openSsh(target, { signal: new AbortController().signal, deadlineMs: 5000 })
  folder = mkdtempSync(join(tmpdir(), 'slipway-tunnel-'))
  local = join(folder, 'local.sock')
})
afterEach(() => {
  tunnel?.close()
  tunnel = undefined
  connection.close()
  rmSync(folder, { recursive: true })
})

describe('a tunnel', () => {
  test('lets programs that know only local sockets talk to the server', async () => {
    tunnel = await openTunnel(connection, labPart('host1').remoteSocket, local)
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/_ping')))
    expect(answers).toEqual(Array(20).fill('OK'))
    expect(statSync(local).mode & 0o777).toBe(0o600)
  })

  test('carries large amounts both ways and ends with either side', async () => {
    const server = await serve((chunks) => chunks)
    tunnel = await openTunnel(connection, join(folder, 'far.sock'), local)
    const socket = connect(local)
    socket.write(Buffer.alloc(5_000_000, 7))
    let received = 0
    for await (const chunk of socket) {
      received += chunk.length
      if (received === 5_000_000) break
    }
    expect(received).toBe(5_000_000)
    await expect.poll(() => connectionsOf(server)).toBe(0)
    server.close()
  })

  test('knows why it could not forward, for the program sees only a closed socket', async () => {
    tunnel = await openTunnel(connection, '/no/such.sock', local)
    expect(tunnel.failure()).toBeUndefined()
    await expect(get('/_ping')).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(tunnel.failure()).toMatchObject({ code: 'forward_refused' })
  })

  test('that is closed takes its connections and its socket along', async () => {
    const server = await serve((chunks) => chunks)
    tunnel = await openTunnel(connection, join(folder, 'far.sock'), local)
    // Cut off while its byte is still on the way, it may be told so.
    const socket = connect(local)
      .on('error', () => {})
      .resume()
    socket.write('x')
    await expect.poll(() => connectionsOf(server)).toBe(1)
    tunnel.close()
    await new Promise((resolve) => socket.once('close', resolve))
    await expect.poll(() => connectionsOf(server)).toBe(0)
    expect(() => statSync(local)).toThrow('ENOENT')
    server.close()
  })

  test('whose SSH connection ends takes its connections along', async () => {
    tunnel = await openTunnel(connection, labPart('host1').remoteSocket, local)
    const events = get('/events')
    const outcome = expect(events).rejects.toMatchObject({ code: 'ECONNRESET' })
    await expect.poll(() => get('/_ping')).toBe('OK')
    connection.close()
    await outcome
    await expect(get('/_ping')).rejects.toThrow()
    expect(tunnel.failure()).toMatchObject({ code: 'connection_lost' })
  })
})

function get(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: local, path, agent: false }, (answer) => text(answer).then(resolve, reject))
    asked.on('error', reject).end()
  })
}

/** An echo on the other side; host1 sees this machine's files. */
async function serve(answer: (chunk: Buffer) => Buffer): Promise<Server> {
  const server = createServer((socket) =>
    socket.on('error', () => {}).on('data', (chunk) => socket.write(answer(chunk))),
  )
  await new Promise<void>((resolve) => server.listen(join(folder, 'far.sock'), resolve))
  chmodSync(join(folder, 'far.sock'), 0o666)
  return server
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}
