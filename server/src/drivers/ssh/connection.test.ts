import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { tool, toolEnv } from '../../../../lab/tools.ts'
import { openSsh, type SshConnection } from './connection.ts'
import type { SshFailure } from './failure.ts'
import { hostKeyOfLine } from './host-key.ts'
import { generateKeyPair } from './key-pair.ts'
import { parsePrivateKey } from './private-key.ts'
import type { SshOptions, SshTarget } from './target.ts'

let target: SshTarget & { hostKey: string }
let folder: string
const cleanups: (() => unknown)[] = []

beforeAll(() => {
  const host = labPart('host1')
  const hostKey = hostKeyOfLine(readFileSync(host.hostKeyFile, 'utf8'))
  target = { host: host.address, port: host.port, user: host.user, privateKey: read(host.keyFile), hostKey }
  folder = mkdtempSync(join(tmpdir(), 'slipway-ssh-'))
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the host key', () => {
  test('a server without a pin is not even contacted outside the explicit check', async () => {
    let contacts = 0
    const port = await listen(() => contacts++)
    const failure = await refusal({ ...target, host: '127.0.0.1', port, hostKey: null })
    expect(failure.code).toBe('host_key_unknown')
    expect(contacts).toBe(0)
  })

  test('the explicit check reports the key as ssh-keygen -l shows it', async () => {
    const connection = await open({ ...target, hostKey: null }, { learnHostKey: true })
    const shown = execFileSync(tool('ssh-keygen'), ['-lf', labPart('host1').hostKeyFile], {
      encoding: 'utf8',
      env: toolEnv(),
    })
    expect(connection.hostKey).toBe(`ssh-ed25519 ${shown.split(' ')[1]}`)
  })

  test('a host key that differs from the pinned one is refused and never re-pinned', async () => {
    const pinned = `ssh-ed25519 SHA256:${'A'.repeat(43)}`
    const wrong = { ...target, hostKey: pinned }
    for (const learnHostKey of [false, true, true]) {
      const failure = await refusal(wrong, { learnHostKey })
      expect(failure.code).toBe('host_key_mismatch')
      expect(failure.facts.presentedHostKey).toBe(target.hostKey)
      expect(failure.message).toContain(pinned)
    }
    expect(wrong.hostKey).toBe(pinned)
  })

  test('a pin of another key type is a mismatch, not a reason to accept', async () => {
    const failure = await refusal({ ...target, hostKey: target.hostKey.replace('ssh-ed25519', 'ssh-rsa') })
    expect(failure.code).toBe('host_key_mismatch')
  })
})

describe('the private key', () => {
  test('the right key opens the connection under the pinned host key', async () => {
    expect((await open(target)).hostKey).toBe(target.hostKey)
  })

  test('a key the server does not know is refused, and the failure shows the host key', async () => {
    const { privateKey } = generateKeyPair('stranger')
    const failure = await refusal({ ...target, hostKey: null, privateKey }, { learnHostKey: true })
    expect(failure.code).toBe('auth_failed')
    expect(failure.facts.presentedHostKey).toBe(target.hostKey)
  })

  test('an encrypted key works with its passphrase and is decrypted only once', async () => {
    const secret = { privateKey: encrypted('correct horse'), passphrase: 'correct horse' }
    await open({ ...target, ...secret })
    expect(await parsePrivateKey(secret)).toBe(await parsePrivateKey({ ...secret }))
  })

  test.for([
    ['a wrong passphrase', { passphrase: 'wrong' }, 'does not open'],
    ['a missing passphrase', {}, 'no passphrase was given'],
  ] as const)('%s says so before the server is contacted', async ([, passphrase, words]) => {
    const failure = await refusal({ ...target, host: 'unused.invalid', privateKey: encrypted('right'), ...passphrase })
    expect(failure.code).toBe('key_unreadable')
    expect(failure.message).toContain(words)
  })

  test.for(['', 'not a key', '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----'])(
    'what is no private key (%#) is unreadable',
    async (privateKey) => expect((await refusal({ ...target, privateKey })).code).toBe('key_unreadable'),
  )

  test('a public key in its place is unreadable', async () => {
    const { publicKey } = generateKeyPair('x')
    expect((await refusal({ ...target, privateKey: publicKey })).code).toBe('key_unreadable')
  })
})

describe('the way to the server', () => {
  test('a closed port is unreachable', async () => {
    expect((await refusal({ ...target, port: 1 })).code).toBe('unreachable')
  })

  test('a name that does not exist is not found', async () => {
    expect((await refusal({ ...target, host: 'no-such-host.invalid' })).code).toBe('name_not_found')
  })

  test('a server that never answers is given up at the deadline', async () => {
    const port = await listen(() => {})
    const begin = performance.now()
    const failure = await refusal({ ...target, host: '127.0.0.1', port }, { deadlineMs: 300 })
    expect(failure.code).toBe('timeout')
    expect(failure.message).toContain(`127.0.0.1:${port}`)
    expect(performance.now() - begin).toBeLessThan(8000)
  })

  test.for([
    ['hangs up', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ['speaks HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n')],
  ] as const)('a service that %s instead of speaking SSH looks like a line that broke', async ([, behave]) => {
    const port = await listen(behave)
    const failure = await refusal({ ...target, host: '127.0.0.1', port }, { deadlineMs: 5000 })
    expect(failure.code).toBe('connection_lost')
    expect(failure.hint).toContain('check that SSH listens on this port')
  })

  test('aborting while it connects rejects with the reason and leaves no socket open', async () => {
    const stop = new AbortController()
    const closed = Promise.withResolvers<void>()
    const port = await listen((socket) => {
      socket.on('close', () => closed.resolve()).resume()
      stop.abort(new Error('no longer wanted'))
    })
    await expect(open({ ...target, host: '127.0.0.1', port }, { signal: stop.signal })).rejects.toThrow(
      'no longer wanted',
    )
    await closed.promise
  })

  test('no failure carries the key, and each says what to do', async () => {
    const { privateKey } = generateKeyPair('stranger')
    const failures = [
      await refusal({ ...target, privateKey }),
      await refusal({ ...target, port: 1 }),
      await refusal({ ...target, privateKey: target.privateKey.slice(0, 120) }),
    ]
    for (const failure of failures) {
      const text = JSON.stringify([failure.message, failure.hint, failure.stack, String(failure.cause)])
      expect(text).not.toContain(privateKey.slice(40, 80))
      expect(text).not.toContain(target.privateKey.slice(40, 80))
      expect(failure.hint).toMatch(/^[A-Z].+\.$/)
    }
  })
})

function read(file: string): string {
  return readFileSync(file, 'utf8')
}

function encrypted(passphrase: string): string {
  const file = join(folder, `key-${passphrase.replaceAll(' ', '-')}`)
  copyFileSync(labPart('host1').keyFile, file)
  execFileSync(tool('ssh-keygen'), ['-q', '-p', '-P', '', '-N', passphrase, '-f', file], { env: toolEnv() })
  return read(file)
}

async function listen(onConnection: (socket: Socket) => unknown): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

async function open(to: SshTarget, options: Partial<SshOptions> = {}): Promise<SshConnection> {
  const connection = await openSsh(to, { signal: new AbortController().signal, deadlineMs: 10_000, ...options })
  cleanups.push(() => connection.close())
  return connection
}

async function refusal(to: SshTarget, options: Partial<SshOptions> = {}): Promise<SshFailure> {
  const result: unknown = await open(to, options).catch((error) => error)
  expect(result).toMatchObject({ driver: 'ssh' })
  return result as SshFailure
}
