import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { daemonCalled } from '../../../../lab/group.ts'
import { tool, toolEnv } from '../../../../lab/tools.ts'
import { openSsh, type SshConnection } from './connection.ts'
import { hostKeyOfLine } from './host-key.ts'
import { generateKeyPair } from './key-pair.ts'
import type { SshTarget } from './target.ts'

// Servers differ in what their sshd allows. A second real sshd inside host1 takes the settings a test wants.
let folder: string
let target: SshTarget
let sshd: ChildProcess | undefined

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-sshd-'))
  chmodSync(folder, 0o755)
  for (const type of ['ed25519', 'rsa']) {
    execFileSync(tool('ssh-keygen'), ['-q', '-t', type, '-N', '', '-f', join(folder, type)], { env: toolEnv() })
  }
  const { privateKey, publicKey } = generateKeyPair('slipway test')
  writeFileSync(join(folder, 'authorized_keys'), publicKey)
  target = { host: labPart('host1').address, port: 2222, user: 'root', privateKey, hostKey: keyOf('ed25519') }
})
beforeEach(() => stop())
afterAll(async () => {
  await stop()
  rmSync(folder, { recursive: true })
})

describe('a server with several host keys', () => {
  test('is recognised by whichever of its keys is pinned', async () => {
    await start({})
    for (const type of ['ed25519', 'rsa']) {
      const connection = await open({ ...target, hostKey: keyOf(type) })
      expect(connection.hostKey).toBe(keyOf(type))
      connection.close()
    }
  })
})

describe('an ordinary user', () => {
  let connection: SshConnection
  let server: Server

  beforeEach(async () => {
    await start({})
    connection = await open({ ...target, user: 'nobody' })
    server = createServer()
    await new Promise<void>((resolve) => server.listen(join(folder, 'engine.sock'), resolve))
    return () => {
      connection.close()
      server.close()
    }
  })

  test('without permission for the socket is told so, and not that it is missing', async () => {
    chmodSync(join(folder, 'engine.sock'), 0o660)
    await expect(connection.openSocket(join(folder, 'engine.sock'))).rejects.toMatchObject({ code: 'forward_refused' })
    expect(await connection.socketState(join(folder, 'engine.sock'))).toBe('denied')
  })

  test('with permission opens it', async () => {
    chmodSync(join(folder, 'engine.sock'), 0o666)
    const socket = await connection.openSocket(join(folder, 'engine.sock'))
    expect(socket.destroyed).toBe(false)
  })
})

describe('a hardened server', () => {
  test('that forbids forwarding is told from one without an engine', async () => {
    await start({ AllowStreamLocalForwarding: 'no' })
    const connection = await open(target)
    const path = labPart('host1').remoteSocket
    await expect(connection.openSocket(path)).rejects.toMatchObject({ code: 'forward_refused' })
    expect(await connection.socketState(path)).toBe('listening')
    connection.close()
  })

  test('without SFTP still forwards sockets, and reading says what is missing', async () => {
    await start({ Subsystem: null })
    const connection = await open(target)
    await connection.openSocket(labPart('host1').remoteSocket)
    await expect(connection.readFile('/proc/version', 5)).rejects.toMatchObject({ code: 'file_unreadable' })
    expect(await connection.socketState('/x')).toBe('unknown')
    connection.close()
  })
})

function keyOf(type: string): string {
  return hostKeyOfLine(readFileSync(join(folder, `${type}.pub`), 'utf8'))
}

function open(to: SshTarget): Promise<SshConnection> {
  return openSsh(to, { signal: new AbortController().signal, deadlineMs: 5000 })
}

async function start(settings: Record<string, string | null>): Promise<void> {
  const all: Record<string, string | null> = {
    ListenAddress: `${target.host}:${target.port}`,
    PidFile: 'none',
    AuthorizedKeysFile: join(folder, 'authorized_keys'),
    StrictModes: 'no',
    PasswordAuthentication: 'no',
    Subsystem: 'sftp internal-sftp',
    ...settings,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
  const keys = ['ed25519', 'rsa'].map((type) => `HostKey ${join(folder, type)}`)
  writeFileSync(join(folder, 'sshd_config'), `${[...lines, ...keys].join('\n')}\n`)
  writeFileSync(join(folder, 'shadow'), 'root:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\n')
  const machine = ['--target', String(daemonCalled('host1', 'tini-static')), '--mount', '--pid', '--net', '--uts']
  // nsenter forks to enter a process namespace; sshd has to end together with it.
  const bound = ['setpriv', '--pdeathsig', 'TERM', 'unshare', '--mount', process.execPath, '-e', withShadow]
  const argv = [
    ...machine,
    ...bound,
    join(folder, 'shadow'),
    tool('sshd'),
    '-D',
    '-e',
    '-f',
    join(folder, 'sshd_config'),
  ]
  const child = spawn(tool('nsenter'), argv, { env: toolEnv(), stdio: ['ignore', 'ignore', 'pipe'] })
  sshd = child
  await new Promise<void>((resolve, reject) => {
    let log = ''
    child.once('exit', () => reject(new Error(`sshd did not start: ${log}`)))
    child.stderr?.on('data', (chunk) => {
      log += chunk
      if (log.includes('Server listening on')) resolve()
    })
  })
}

/** host1 knows only root; sshd takes an account without a shadow entry for locked. Seen by this sshd alone. */
const withShadow = `
  const [shadow, program, ...args] = process.argv.slice(1)
  require('node:child_process').execFileSync('mount', ['--no-mtab', '--bind', shadow, '/etc/shadow'])
  process.execve(program, [program, ...args], process.env)`

async function stop(): Promise<void> {
  if (!sshd) return
  const ended = new Promise((resolve) => sshd?.once('exit', resolve))
  sshd.kill()
  await ended
  sshd = undefined
}
