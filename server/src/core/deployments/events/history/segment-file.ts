import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import type { EventType, StoredEvent } from '../events-store.ts'

/** A segment is small enough to be held whole: who reads one line of it unpacks no more than this and the last line. */
export const MOST_EVENTS = 10_000
export const MOST_BYTES = 2 * 1024 * 1024
/** A file that claims to be larger is not one of ours. */
const MOST_UNPACKED = 64 * 1024 * 1024

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** One line per event: number, time, type, JSON, with tabs between. JSON has neither tabs nor line breaks of its own. */
export function pack(events: StoredEvent[]): Promise<Buffer> {
  const lines = events.map(({ seq, at, type, json }) => `${seq}\t${at.toISOString()}\t${type}\t${json}\n`)
  const params = { [constants.ZSTD_c_compressionLevel]: 6, [constants.ZSTD_c_checksumFlag]: 1 }
  return compress(Buffer.from(lines.join('')), { params })
}

/** The lines as they lie in the file, and where each begins. */
export type Unpacked = { text: Buffer; starts: Uint32Array; first: number }

const LINE_FEED = 10

/** null: it is not what `pack` made of `count` events from `first` on. */
export async function unpack(bytes: Buffer, first: number, count: number): Promise<Unpacked | null> {
  const text = await decompress(bytes, { maxOutputLength: MOST_UNPACKED }).catch(() => null)
  if (text === null) return null
  const starts = new Uint32Array(count)
  let start = 0
  for (let n = 0; n < count; n++) {
    starts[n] = start
    const end = text.indexOf(LINE_FEED, start)
    if (end < 0) return null
    start = end + 1
  }
  const unpacked = { text, starts, first }
  return start === text.length && eventIn(unpacked, first).seq === first ? unpacked : null
}

export function eventIn({ text, starts, first }: Unpacked, seq: number): StoredEvent {
  const end = starts[seq - first + 1] ?? text.length
  const [number, at = '', type, ...json] = text.toString('utf8', starts[seq - first], end - 1).split('\t')
  return { seq: Number(number), at: new Date(at), type: type as EventType, json: json.join('\t') }
}
