import { createHash } from 'node:crypto'
import type { ParsedKey } from 'ssh2'
import { SshFailure } from './failure.ts'

type Secret = { privateKey: string; passphrase?: string }

/** The parsed key. Decrypting a bcrypt-protected one blocks the thread for up to 2 s, so it is done once. */
export async function parsePrivateKey(secret: Secret): Promise<ParsedKey> {
  const name = createHash('sha256')
    .update(JSON.stringify([secret.privateKey, secret.passphrase]))
    .digest('base64')
  const { utils } = await loadSsh2()
  const known = parsed.get(name)
  if (known) return known
  refuseManyRounds(secret.privateKey)
  const result = utils.parseKey(secret.privateKey, secret.passphrase) as ParsedKey | Error | ParsedKey[]
  const key = Array.isArray(result) ? result[0] : result
  if (!key || key instanceof Error) throw unreadable(key, secret)
  if (!key.isPrivateKey()) {
    throw new SshFailure('key_unreadable', 'This is a public key; connecting needs the private one.')
  }
  if (parsed.size >= 100) parsed.delete(parsed.keys().next().value ?? '')
  parsed.set(name, key)
  return key
}

const MOST_ROUNDS = 32

/**
 * An encrypted key says itself how much work it is to open, and opening it blocks the thread: about 25 ms a round.
 * ssh-keygen takes 16 rounds (24 since 10.0); a key that asks for a thousand would stop the process for half a minute.
 */
function refuseManyRounds(privateKey: string): void {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([^-]*)/.exec(privateKey)?.[1]
  if (body === undefined) return
  const bytes = Buffer.from(body, 'base64')
  let at = 'openssh-key-v1\0'.length
  const next = () => {
    const length = at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0
    const start = at + 4
    at = start + length
    return bytes.subarray(start, at)
  }
  const [, kdf, options] = [next(), next().toString(), next()]
  if (kdf !== 'bcrypt' || options === undefined || options.length < 8) return
  const rounds = options.readUInt32BE(options.length - 4)
  if (rounds <= MOST_ROUNDS) return
  const message = `The private key is encrypted with ${rounds} rounds; at most ${MOST_ROUNDS} are taken.`
  throw new SshFailure('key_unreadable', message)
}

const parsed = new Map<string, ParsedKey>()

function unreadable(error: Error | undefined, { passphrase }: Secret): SshFailure {
  const reason = error?.message ?? ''
  const encrypted = /passphrase|integrity check|decrypt/i.test(reason)
  if (!encrypted) return new SshFailure('key_unreadable', 'The private key cannot be read.', { cause: error })
  return new SshFailure(
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
