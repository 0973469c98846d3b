import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import { promisify } from 'node:util'

// A stream is sealed in pieces, so that one of any length passes through little memory: each by AES-256-GCM with a number of
// its own and whether it is the last. A piece that is changed, exchanged, left out or cut off does not open.

const MAGIC = Buffer.from('SLIPWAY\u0001')
const SALT = 16
const PREFIX = 7
export const HEADER = MAGIC.length + SALT + PREFIX
const TAG = 16
const PIECE = 64 * 1024
/** What guessing a passphrase costs: 128 MB and about half a second a try. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

export class NotOpened extends Error {}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt as never)

export async function sealing(passphrase: string): Promise<Transform> {
  const salt = randomBytes(SALT)
  const prefix = randomBytes(PREFIX)
  const key = await derive(passphrase, salt, 32, COST)
  const seal = (piece: Buffer, number: number, last: boolean) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce(prefix, number, last))
    return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
  }
  const stream = inPieces(PIECE, seal)
  stream.push(Buffer.concat([MAGIC, salt, prefix]))
  return stream
}

/** `header` are the first bytes of the file; the stream takes what comes after them. */
export async function opening(passphrase: string, header: Buffer): Promise<Transform> {
  if (header.length < HEADER || !header.subarray(0, MAGIC.length).equals(MAGIC))
    throw new NotOpened('This file is no backup of Slipway.')
  const salt = header.subarray(MAGIC.length, MAGIC.length + SALT)
  const prefix = header.subarray(MAGIC.length + SALT, HEADER)
  const key = await derive(passphrase, salt, 32, COST)
  return inPieces(PIECE + TAG, (piece, number, last) => {
    if (piece.length < TAG) throw new NotOpened('This backup ends in the middle.')
    const decipher = createDecipheriv('aes-256-gcm', key, nonce(prefix, number, last))
    decipher.setAuthTag(piece.subarray(-TAG))
    try {
      return Buffer.concat([decipher.update(piece.subarray(0, -TAG)), decipher.final()])
    } catch {
      const where =
        number === 0
          ? 'The passphrase is not that of this backup, or its beginning is damaged.'
          : `This backup is damaged or cut off, after ${number * PIECE} bytes.`
      throw new NotOpened(where)
    }
  })
}

const nonce = (prefix: Buffer, number: number, last: boolean) => {
  const rest = Buffer.alloc(5)
  rest.writeUInt32BE(number)
  rest[4] = last ? 1 : 0
  return Buffer.concat([prefix, rest])
}

/** Pieces of one size, of which the last may be shorter or empty; it is known as the last only when nothing follows. */
function inPieces(size: number, turn: (piece: Buffer, number: number, last: boolean) => Buffer): Transform {
  let held: Buffer[] = []
  let length = 0
  let number = 0
  const guarded = (done: TransformCallback, act: () => void) => {
    try {
      act()
    } catch (error) {
      return done(error as Error)
    }
    done()
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      guarded(done, () => {
        held.push(chunk)
        length += chunk.length
        if (length <= size) return
        let all = Buffer.concat(held)
        for (; all.length > size; all = all.subarray(size)) this.push(turn(all.subarray(0, size), number++, false))
        held = [all]
        length = all.length
      })
    },
    flush(done) {
      guarded(done, () => void this.push(turn(Buffer.concat(held), number, true)))
    },
  })
}
