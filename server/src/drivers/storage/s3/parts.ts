import { createHash } from 'node:crypto'
import { storageFailure } from '../storage.ts'
import { forget } from '../stream.ts'

const MIB = 1024 * 1024
/** At most 10,000 parts make an object. Some servers want all but the last to be of one size, so it grows late: at 268 GB. */
const PART = 32 * MIB
const LATER_PART = 64 * MIB
const GROWS_AFTER = 8_000
const MOST_PARTS = 10_000
/** One part is filled while another is sent. */
const MEMORY = 64 * MIB

const partBytes = (number: number) => (number > GROWS_AFTER ? LATER_PART : PART)

/** `release` once it was sent: its memory is used again. */
export type Filled = { number: number; body: Buffer; sha256: string; last: boolean; release(): void }

/** Gathers the stream into parts, in a fixed amount of memory that is used again and again. */
export async function* partsOf(
  source: AsyncIterable<Uint8Array>,
  seen: (chunk: Uint8Array) => void,
  stop: AbortSignal,
): AsyncGenerator<Filled> {
  const pool = bufferPool(stop)
  let number = 1
  let body = await pool.take(partBytes(number))
  let filled = 0
  let hash = createHash('sha256')
  const part = (last: boolean): Filled => {
    const memory = body
    const sha256 = hash.digest('hex')
    return { number, body: memory.subarray(0, filled), sha256, last, release: () => pool.give(memory) }
  }
  for await (const chunk of source) {
    seen(chunk)
    for (let at = 0; at < chunk.length; ) {
      if (filled === body.length) {
        yield part(false)
        number += 1
        if (number > MOST_PARTS) throw storageFailure('failed', 'The object is too large for an S3 upload.')
        body = await pool.take(partBytes(number))
        filled = 0
        hash = createHash('sha256')
      }
      const some = chunk.subarray(at, at + body.length - filled)
      body.set(some, filled)
      hash.update(some)
      filled += some.length
      at += some.length
    }
    forget(chunk.length, 2)
  }
  yield part(true)
}

function bufferPool(stop: AbortSignal) {
  const free: Buffer[] = []
  let made = 0
  let given: (() => void) | undefined
  stop.addEventListener('abort', () => given?.())
  return {
    async take(bytes: number): Promise<Buffer> {
      for (;;) {
        stop.throwIfAborted()
        const ready = free.pop()
        if (ready?.length === bytes) return ready
        if (ready) made -= ready.length // of the size that was used before
        if (made + bytes <= MEMORY) {
          made += bytes
          return Buffer.allocUnsafeSlow(bytes)
        }
        await new Promise<void>((resolve) => {
          given = resolve
        })
      }
    },
    give(memory: Buffer): void {
      free.push(memory)
      given?.()
    },
  }
}
