import { generateKeyPairSync, randomBytes } from 'node:crypto'

/**
 * A new ed25519 pair: the private half in OpenSSH format, the public half as a line for authorized_keys. Written here
 * because ssh2's own generator makes an unusable key about once in 200 (33 of 6,000: leading zero bytes are lost).
 */
export function generateKeyPair(comment: string): { privateKey: string; publicKey: string } {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const seed = Buffer.from(d ?? '', 'base64url')
  const point = Buffer.from(x ?? '', 'base64url')
  // A line break would start a second line in authorized_keys.
  const oneLine = comment.replace(/\p{Cc}+/gu, ' ').trim()
  const publicKey = `${[type, publicBlobOf(point).toString('base64'), oneLine].join(' ').trim()}\n`
  return { privateKey: ed25519Text({ seed, point, comment: oneLine }), publicKey }
}

const type = 'ssh-ed25519'

type Ed25519 = { seed: Buffer; point: Buffer; comment: string }

/** A private key as OpenSSH writes it, unencrypted. */
export const ed25519Text = (key: Ed25519) => armour(privateBlob(publicBlobOf(key.point), key))

const publicBlobOf = (point: Buffer) => Buffer.concat([field(type), field(point)])

/** The format of openssh's PROTOCOL.key, unencrypted. */
function privateBlob(publicBlob: Buffer, key: Ed25519): Buffer {
  const check = randomBytes(4)
  const secret = Buffer.concat([
    check,
    check,
    field(type),
    field(key.point),
    field(Buffer.concat([key.seed, key.point])),
    field(key.comment),
  ])
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (secret.length % 8)) % 8))
  const one = Buffer.from([0, 0, 0, 1])
  return Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...['none', 'none', ''].map(field),
    one,
    field(publicBlob),
    field(Buffer.concat([secret, padding])),
  ])
}

/** A length of four bytes and then the bytes, as everything in SSH. */
function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function armour(blob: Buffer): string {
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? []
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}
