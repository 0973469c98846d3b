import { Readable } from 'node:stream'
import { spend } from '../../process/v8-heap.ts'
import type { Sum } from './sha256.ts'
import { type GetOptions, storageFailure } from './storage.ts'

/** Ends with the signal even when the source says nothing any more, and lets the source end too. */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted()
  const items = source[Symbol.asyncIterator]()
  // One listener for all waits: racing each of them against one long-lived promise would pile up in its memory.
  let giveUp: ((reason: unknown) => void) | undefined
  const abort = () => giveUp?.(signal.reason)
  signal.addEventListener('abort', abort)
  const next = () =>
    new Promise<IteratorResult<T>>((resolve, reject) => {
      giveUp = reject
      if (signal.aborted) reject(signal.reason)
      else items.next().then(resolve, reject)
    })
  let ended = false
  try {
    for (let item = await next(); ; item = await next()) {
      ended = item.done === true
      if (item.done) return
      yield item.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    // Not awaited: a source that hangs would hang here again.
    if (!ended) Promise.resolve(items.return?.()).catch(() => {})
  }
}

/** The stream that was to be stored broke: nothing that the destination could be blamed for. */
export class SourceFailed extends Error {
  constructor(cause: unknown) {
    super('the source failed', { cause })
  }
}

/** What a caller gives to be stored; its own errors can be told from ours. */
export async function* incoming(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  async function* marked() {
    try {
      yield* source
    } catch (error) {
      throw new SourceFailed(error)
    }
  }
  yield* abortable(marked(), signal)
}

/** The same bytes in pieces of exactly `size`, but for the last one. A chunk that is large enough is not copied. */
export async function* inPieces(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let gathered: Buffer | undefined
  let filled = 0
  for await (const chunk of source) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    while (rest.length > 0) {
      if (filled === 0 && rest.length >= size) {
        yield rest.subarray(0, size)
        rest = rest.subarray(size)
        continue
      }
      gathered ??= Buffer.allocUnsafe(size)
      const copied = rest.copy(gathered, filled)
      filled += copied
      rest = rest.subarray(copied)
      if (filled < size) continue
      filled = 0
      yield gathered
      gathered = undefined
    }
  }
  if (gathered !== undefined && filled > 0) yield gathered.subarray(0, filled)
}

/**
 * `buffers` is how many a byte fills on its way: one in a file, two where it is encrypted or decrypted. Telling of all of
 * them keeps V8 from collecting the whole heap hundreds of times a minute for them, which halved the speed of SFTP. Told twice
 * as often, buffers still in use grow old, and only a whole collection ends them.
 */
export const forget = (bytes: number, buffers: 1 | 2) => spend(bytes * buffers)

const AHEAD = 1024 * 1024

/** Bytes, and what has to be let go however far they were read; `close` may be called again and again. */
export type ByteSource = { chunks: AsyncIterable<Uint8Array>; close(): void }

type Outgoing = Pick<GetOptions, 'signal' | 'sha256' | 'range'> & {
  what: string
  buffers: 1 | 2
  newSum(): Sum
  explain(error: unknown): unknown
}

/** What a caller reads: back-pressured, ended by the signal, checked at its end where the sum is known. */
export function readable({ chunks, close }: ByteSource, options: Outgoing): Readable {
  const stream = Readable.from(checked(chunks, options), { objectMode: false, highWaterMark: AHEAD })
  const abort = () => stream.destroy(options.signal.reason)
  if (options.signal.aborted) abort()
  else options.signal.addEventListener('abort', abort)
  return stream.once('close', () => {
    options.signal.removeEventListener('abort', abort)
    close()
  })
}

async function* checked(source: AsyncIterable<Uint8Array>, options: Outgoing): AsyncGenerator<Uint8Array> {
  const sum = options.sha256 !== undefined && options.range === undefined ? options.newSum() : undefined
  let whole = false
  try {
    for await (const chunk of source) {
      await sum?.add(chunk)
      if (chunk.length > 0) yield chunk
      forget(chunk.length, options.buffers)
    }
    whole = true
  } catch (error) {
    throw options.signal.aborted ? options.signal.reason : await options.explain(error)
  } finally {
    if (!whole) sum?.end()
  }
  if (sum && (await sum.digest()) !== options.sha256) {
    throw storageFailure('corrupted', `${options.what} is not what was stored: its SHA-256 differs.`)
  }
}

const EVERY_MS = 250

/** Tells at most a few times a second, and the last sum always. */
export function progressOf(tell: ((bytes: number) => void) | undefined) {
  let told = -1
  let at = 0
  return {
    now(bytes: number): void {
      if (tell === undefined || Date.now() - at < EVERY_MS) return
      at = Date.now()
      told = bytes
      tell(bytes)
    },
    end(bytes: number): void {
      if (told !== bytes) tell?.(bytes)
    },
  }
}
