import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tool, toolEnv } from '../../../../lab/tools.ts'
import { processorMs } from '../../../../test-kit/processor.ts'
import type { SshFailure } from './failure.ts'
import { parsePrivateKey } from './private-key.ts'
import { publicKeyOf } from './public-key.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-keys-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const PASSPHRASE = 'correct horse'

/** What ssh-keygen makes, and the public half as it shows it. */
function keygen(...options: string[]) {
  const file = join(folder, randomBytes(6).toString('hex'))
  execFileSync(tool('ssh-keygen'), ['-q', '-C', 'of a test', '-f', file, ...options], { env: toolEnv() })
  const publicKey = readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')
  return { privateKey: readFileSync(file, 'utf8'), publicKey }
}

describe('a key that ssh-keygen made', () => {
  test.for([
    ['ed25519', '-t', 'ed25519'],
    ['RSA', '-t', 'rsa', '-b', '2048'],
    ['RSA of 4096 bits', '-t', 'rsa', '-b', '4096'],
    ['RSA as PEM', '-t', 'rsa', '-b', '3072', '-m', 'PEM'],
    ['ECDSA 256', '-t', 'ecdsa', '-b', '256'],
    ['ECDSA 384', '-t', 'ecdsa', '-b', '384'],
    ['ECDSA 521', '-t', 'ecdsa', '-b', '521'],
    ['ECDSA as PEM', '-t', 'ecdsa', '-m', 'PEM'],
  ])('%s signs, open or with 16 rounds', { timeout: 30_000 }, async ([, ...options]) => {
    for (const passphrase of ['', PASSPHRASE]) {
      const { privateKey, publicKey } = keygen(...options, '-N', passphrase, '-a', '16')
      const secret = { privateKey, ...(passphrase && { passphrase }) }
      expect(await publicKeyOf(secret)).toBe(publicKey)
      const key = await parsePrivateKey(secret)
      expect(key.verify(Buffer.from('text'), key.sign(Buffer.from('text')))).toBe(true)
    }
  })

  test('is opened by a process that watches its files, too', { timeout: 40_000 }, async () => {
    const { privateKey, publicKey } = keygen('-t', 'ed25519', '-N', PASSPHRASE, '-a', '16')
    const program = join(folder, 'watched.mjs')
    const module = new URL('./public-key.ts', import.meta.url).href
    const secret = JSON.stringify({ privateKey, passphrase: PASSPHRASE })
    writeFileSync(program, `import { publicKeyOf } from '${module}'\nconsole.log(await publicKeyOf(${secret}))\n`)
    const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', program])
    try {
      child.stdout.setEncoding('utf8')
      let said = ''
      for await (const text of child.stdout) {
        said += text
        if (said.includes('\n')) break
      }
      expect(said).toContain(publicKey)
    } finally {
      child.kill()
    }
  })

  test.for(['32', '100'])('with %s rounds is opened while other things go on', { timeout: 40_000 }, async (rounds) => {
    const { privateKey, publicKey } = keygen('-t', 'ed25519', '-N', PASSPHRASE, '-a', rounds)
    const secret = { privateKey, passphrase: PASSPHRASE }
    let all: string[] = []
    // Of this thread.
    const taken = await processorMs(async () => {
      all = await Promise.all([1, 2, 3].map(() => publicKeyOf({ ...secret })))
    })
    expect(new Set(all)).toEqual(new Set([publicKey]))
    expect(taken).toBeLessThan(300)
    const failure = await refusal(privateKey, 'wrong')
    expect(failure.message).toContain('does not open')
  })

  test('with the line ends of Windows and spaces around is the same key', { timeout: 30_000 }, async () => {
    const { privateKey, publicKey } = keygen('-t', 'ed25519', '-N', PASSPHRASE)
    const text = `\n  ${privateKey.replaceAll('\n', '\r\n')}  \r\n`
    expect(await publicKeyOf({ privateKey: text, passphrase: PASSPHRASE })).toBe(publicKey)
  })
})

describe('a key that demands work without end is refused before any of it', () => {
  const salt = randomBytes(16)
  const locked = (options: Buffer, kdf = 'bcrypt') =>
    Buffer.concat([
      Buffer.from('openssh-key-v1\0'),
      ...['aes256-ctr', kdf].map(field),
      field(options),
      number(1),
      field(Buffer.concat([field('ssh-ed25519'), field(randomBytes(32))])),
      field(randomBytes(160)),
    ])
  const most = 0xffff_ffff

  test.for<[string, Buffer]>([
    ['rounds', Buffer.concat([field(salt), number(most)])],
    ['one round more than is taken', Buffer.concat([field(salt), number(129)])],
    ['rounds and then others', Buffer.concat([field(salt), number(800), number(1)])],
    ['rounds and then one byte', Buffer.concat([field(salt), number(800), Buffer.from([1])])],
    ['rounds in a longer salt', Buffer.concat([number(8), number(most), number(most), number(800), number(1)])],
    ['rounds after a salt of no length', Buffer.concat([number(0), number(800), number(1)])],
    ['a salt that has no end', Buffer.concat([number(most), number(800), number(1)])],
    ['no rounds at all', field(salt)],
    ['no options', Buffer.alloc(0)],
  ])('%s', async ([, options]) => {
    for (const kdf of ['bcrypt', 'bcrypt\0']) {
      const bytes = locked(options, kdf)
      for (const text of [bytes.toString('base64'), dashed(bytes), `-\n${bytes.toString('base64')}`]) {
        for (const ends of ['\n', '\r\n']) await refusedAtOnce(armour(text, ends))
      }
    }
  })

  test('a dash in the text, which is a plus to the decoder, hides nothing', async () => {
    for (let tries = 0; tries < 20; tries += 1) {
      const bytes = locked(Buffer.concat([field(Buffer.alloc(18, 0xfb)), number(800)]))
      expect(dashed(bytes)).toContain('-')
      await refusedAtOnce(armour(dashed(bytes)))
    }
  })

  test.for([
    ['modulus', { n: 2000, d: 2000, p: 4, q: 4 }],
    ['prime', { n: 256, d: 1300, p: 1300, q: 1300 }],
    ['modulus that is a little too large', { n: 1026, d: 1026, p: 513, q: 513 }],
  ] as const)('a made-up RSA key with a large %s, which would take long to sign', async ([, bytes]) => {
    const odd = (length: number) => {
      const made = randomBytes(length)
      made[0] = 0x7f
      made[length - 1] = (made[length - 1] ?? 0) | 1
      return made
    }
    const [n, d, p, q] = [odd(bytes.n), odd(bytes.d), odd(bytes.p), odd(bytes.q)]
    const e = Buffer.from([1, 0, 1])
    const secret = Buffer.concat([Buffer.from('12341234'), ...['ssh-rsa', n, e, d, q, p, q, ''].map(field)])
    const half = field(Buffer.concat(['ssh-rsa', e, n].map(field)))
    const head = [Buffer.from('openssh-key-v1\0'), ...['none', 'none', ''].map(field), number(1)]
    const made = armour(Buffer.concat([...head, half, field(secret)]).toString('base64'))
    await refusedAtOnce(made)
    // Some of them are too much for OpenSSL, too, as soon as they are written again.
    expect((await refusal(made)).message).toMatch(/8192 bits|cannot be read/)
  })

  test('text that keeps the patterns of the parser busy', async () => {
    await refusedAtOnce(`-----BEGIN RSA PRIVATE KEY-----\n${'a:b\n'.repeat(4900)}x`)
    await refusedAtOnce(`-----BEGIN RSA PRIVATE KEY-----\n${'a:b\n'.repeat(2400)}x`)
  })
})

async function refusal(privateKey: string, passphrase = PASSPHRASE): Promise<SshFailure> {
  const result: unknown = await parsePrivateKey({ privateKey, passphrase }).catch((error) => error)
  expect(result).toMatchObject({ driver: 'ssh', code: 'key_unreadable' })
  return result as SshFailure
}

async function refusedAtOnce(privateKey: string): Promise<void> {
  expect(await processorMs(() => refusal(privateKey))).toBeLessThan(1000)
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([number(bytes.length), bytes])
}

const dashed = (bytes: Buffer) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')
const armour = (text: string, end = '\n') =>
  ['-----BEGIN OPENSSH PRIVATE KEY-----', text, '-----END OPENSSH PRIVATE KEY-----', ''].join(end)
