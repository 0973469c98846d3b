import { createHash, createPrivateKey } from 'node:crypto'
import type { ParsedKey } from 'ssh2'
import { type SshFailure, sshFailure } from './failure.ts'
import { RefusedKey, unlock } from './unlock.ts'

type Secret = { privateKey: string; passphrase?: string }

/** The parsed key. Opening an encrypted one is seconds of work, so it is done once, and beside the main thread. */
export async function parsePrivateKey(secret: Secret): Promise<ParsedKey> {
  const name = createHash('sha256')
    .update(JSON.stringify([secret.privateKey, secret.passphrase]))
    .digest('base64')
  const ready = known.get(name)
  if (ready) return ready
  const reading = read(secret)
  if (known.size >= 100) known.delete(known.keys().next().value ?? '')
  known.set(name, reading)
  reading.catch(() => known.get(name) === reading && known.delete(name))
  return reading
}

const known = new Map<string, Promise<ParsedKey>>()

async function read(secret: Secret): Promise<ParsedKey> {
  if (secret.privateKey.length > MOST_CHARACTERS) throw tooLarge()
  const rounds = roundsOf(secret.privateKey)
  if (rounds > MOST_ROUNDS) {
    const message = `The private key is encrypted with ${rounds} rounds; at most ${MOST_ROUNDS} are taken.`
    throw sshFailure('key_unreadable', message)
  }
  const { utils } = await loadSsh2()
  const { privateKey, passphrase } = await opened(secret, rounds)
  const result = utils.parseKey(privateKey, passphrase) as ParsedKey | Error | ParsedKey[]
  const key = Array.isArray(result) ? result[0] : result
  if (!key || key instanceof Error) throw unreadable(key, secret)
  if (!key.isPrivateKey()) {
    throw sshFailure('key_unreadable', 'This is a public key; connecting needs the private one.')
  }
  if (isTooLarge(key)) throw tooLarge()
  return key
}

/** Without a passphrase ssh2 does no work, and has the words for it. */
async function opened(secret: Secret, rounds: number): Promise<Secret> {
  if (rounds === 0 || !secret.passphrase) return secret
  try {
    return { privateKey: await unlock(secret) }
  } catch (error) {
    throw error instanceof RefusedKey ? unreadable(error, secret) : error
  }
}

/** An RSA key of 8,192 bits has 6,300; longer texts keep the patterns of ssh2 busy. */
const MOST_CHARACTERS = 10_000
/** ssh-keygen takes 16 rounds (24 since 10.0); careful people take 100, which is 5 seconds on a slow machine. */
const MOST_ROUNDS = 128
/** Signing takes the cube of it: 8,192 bits need 0.1 s, a made-up key of 24,000 half a minute. */
const MOST_RSA_BYTES = 8192 / 8
/** Characters of PEM: a DSA key of 3,072 bits has 1,700, the others a few hundred. */
const MOST_OTHERS = 2_000

const tooLarge = () =>
  sshFailure(
    'key_unreadable',
    'The private key is too large or of an unusual kind; RSA keys of up to 8192 bits are taken.',
  )

/** Every number of it counts: a small key may have a large prime, or more of them than two. */
function isTooLarge(key: ParsedKey): boolean {
  const pem = key.getPrivatePEM()
  if (key.type !== 'ssh-rsa') return pem.length > MOST_OTHERS
  const { whole, halves, written } = sizesOf(pem)
  const sum = [...whole, ...halves].reduce((all, bytes) => all + bytes)
  return Math.max(...whole) > MOST_RSA_BYTES || Math.max(...halves) > MOST_RSA_BYTES * 0.6 || written > sum + 100
}

function sizesOf(pem: string): { whole: number[]; halves: number[]; written: number } {
  try {
    const key = createPrivateKey(pem)
    const { n, e, d, p, q, dp, dq, qi } = key.export({ format: 'jwk' })
    const bytesOf = (text = '') => Buffer.from(text, 'base64url').length
    const written = key.export({ type: 'pkcs1', format: 'der' }).length
    return {
      whole: [n, e, d].map((part) => bytesOf(part)),
      halves: [p, q, dp, dq, qi].map((part) => bytesOf(part)),
      written,
    }
  } catch {
    throw malformed()
  }
}

/**
 * How much work the key says it is to open: the rounds of bcrypt, 0 without. Read just as ssh2 does it, so that no key
 * is one thing here and another there; what differs from the one form that ssh-keygen writes is not taken at all.
 */
function roundsOf(privateKey: string): number {
  const body = OPENSSH.exec(privateKey.trim())?.[1]
  if (body === undefined) return 0
  const bytes = Buffer.from(body, 'base64')
  const next = fieldsOf(bytes, MAGIC.length)
  const [, kdf, options] = [next(), next()?.toString(), next()]
  if (bytes.toString('utf8', 0, MAGIC.length) !== MAGIC || kdf === undefined || options === undefined) throw malformed()
  if (kdf === 'none') return 0
  const salt = fieldsOf(options, 0)()
  if (kdf !== 'bcrypt' || salt === undefined || options.length !== 4 + salt.length + 4) throw malformed()
  return options.readUInt32BE(4 + salt.length)
}

const MAGIC = 'openssh-key-v1\0'
const OPENSSH = /^-----BEGIN OPENSSH PRIVATE KEY-----(?:\r\n|\n)([\s\S]+)(?:\r\n|\n)-----END OPENSSH PRIVATE KEY-----$/

const malformed = () => sshFailure('key_unreadable', 'The private key cannot be read.')

/** One after the other: a length of four bytes, and as many bytes. */
function fieldsOf(bytes: Buffer, from: number) {
  let at = from
  return (): Buffer | undefined => {
    if (at + 4 > bytes.length) return undefined
    const start = at + 4
    at = start + bytes.readUInt32BE(at)
    return at > bytes.length ? undefined : bytes.subarray(start, at)
  }
}

function unreadable(error: Error | undefined, { passphrase }: Secret): SshFailure {
  const reason = error?.message ?? ''
  const encrypted = /passphrase|integrity check|decrypt/i.test(reason)
  if (!encrypted) return sshFailure('key_unreadable', 'The private key cannot be read.', { cause: error })
  return sshFailure(
    'key_unreadable',
    passphrase === undefined
      ? 'The private key is encrypted and no passphrase was given.'
      : 'The passphrase does not open the private key.',
    { cause: error },
  )
}

/** ssh2 on first use: an idle server does not pay for it. */
export async function loadSsh2() {
  return (await import('ssh2')).default
}
