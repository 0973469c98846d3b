import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'

const FORM = 'v1'
const SALT = 16
const NONCE = 12
const TAG = 16

/** Seals secrets at rest with AES-256-GCM. The first key seals; every key of the ring opens. */
export type KeyRing = {
  /** `place` is where the value lives (table/row/column): a value moved elsewhere does not open. */
  seal(plain: string, place: string): string
  open(sealed: string, place: string): string
  /**
   * The first characters of a value, from the first of its sealed text. Nothing says that they were not changed: for
   * who has to recognise a value that is too long to be read, and for nothing else.
   */
  peek(start: string): string
  /** A key for another purpose, derived from the first key. */
  derive(purpose: string): string
  /** Ids of the keys, first the one that seals. */
  ids: readonly string[]
}

/** Reads `key` or `key,olderKey`: each 32 bytes as 64 hex digits or base64. */
export function parseKeyRing(text: string): KeyRing {
  const keys = text.split(',').map((part, index) => parseKey(part.trim(), index))
  return keyRing(keys)
}

function parseKey(text: string, index: number): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  const which = index === 0 ? 'SLIPWAY_SECRET_KEY' : `Key ${index + 1} of SLIPWAY_SECRET_KEY`
  if (key.length !== 32) {
    throw new Error(
      `${which} must be 32 bytes (64 hex digits), not ${key.length}. Make one with \`openssl rand -hex 32\`.`,
    )
  }
  if (isGuessable(key)) {
    throw new Error(`${which} is a well-known or repeating value. Make a random one with \`openssl rand -hex 32\`.`)
  }
  return key
}

/** Zeros, counting bytes, a repeated word or plain text are what people paste from examples. */
function isGuessable(key: Buffer): boolean {
  const distinct = new Set(key).size
  const steps = new Set([...key].map((byte, i) => (byte - (key[i - 1] ?? byte - 1)) & 255))
  const repeats = [1, 2, 4, 8, 16].some((n) => key.subarray(n).equals(key.subarray(0, 32 - n)))
  const readable = [...key].every((byte) => byte >= 0x20 && byte < 0x7f)
  return distinct < 12 || steps.size < 4 || repeats || readable
}

function keyRing(keys: Buffer[]): KeyRing {
  const byId = new Map(keys.map((key) => [keyId(key), createSecretKey(key)]))
  const [first] = byId
  if (!first) throw new Error('The key ring is empty.')
  const [primaryId, primary] = first

  const parse = (sealed: string) => {
    const [form, id = '', payload = '', ...more] = sealed.split('.')
    const key = byId.get(id)
    if (form !== FORM) throw new Error('A sealed value has an unknown form.')
    if (!key) throw new Error(`A sealed value needs key ${id}, which is not in SLIPWAY_SECRET_KEY.`)
    return { key, id, payload, more: more.length > 0 }
  }

  return {
    ids: [...byId.keys()],
    derive: (purpose) => Buffer.from(hkdfSync('sha256', primary, '', `slipway/${purpose}`, 32)).toString('base64url'),
    seal(plain, place) {
      const salt = randomBytes(SALT)
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', messageKey(primary, salt), nonce, { authTagLength: TAG })
      cipher.setAAD(Buffer.from(`${FORM}.${primaryId}.${place}`))
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `${FORM}.${primaryId}.${Buffer.concat([salt, nonce, cipher.getAuthTag(), text]).toString('base64url')}`
    },
    open(sealed, place) {
      const { key, id, payload, more } = parse(sealed)
      const bytes = Buffer.from(payload, 'base64url')
      // Several texts stand for the same bytes; only the one that was written counts.
      if (more || bytes.toString('base64url') !== payload) throw new Error('A sealed value was changed.')
      if (bytes.length < SALT + NONCE + TAG) throw new Error('A sealed value is too short.')
      const decipher = decipherOf(key, bytes)
      decipher.setAAD(Buffer.from(`${FORM}.${id}.${place}`))
      decipher.setAuthTag(bytes.subarray(SALT + NONCE, SALT + NONCE + TAG))
      return Buffer.concat([decipher.update(bytes.subarray(SALT + NONCE + TAG)), decipher.final()]).toString('utf8')
    },
    peek(start) {
      const { key, payload } = parse(start)
      const bytes = Buffer.from(payload.slice(0, payload.length & ~3), 'base64url')
      const text = decipherOf(key, bytes).update(bytes.subarray(SALT + NONCE + TAG))
      // The last character may be cut.
      return new StringDecoder('utf8').write(text)
    },
  }
}

const decipherOf = (key: KeyObject, bytes: Buffer) =>
  createDecipheriv('aes-256-gcm', messageKey(key, bytes.subarray(0, SALT)), bytes.subarray(SALT, SALT + NONCE), {
    authTagLength: TAG,
  })

/** A key of its own per value: nonces then cannot collide, however much is sealed. */
const messageKey = (key: KeyObject, salt: Buffer) => Buffer.from(hkdfSync('sha256', key, salt, 'slipway/seal/v1', 32))

const keyId = (key: Buffer) => createHash('sha256').update('slipway/key-id').update(key).digest('hex').slice(0, 8)
