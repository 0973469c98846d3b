import { engineFailure } from '../../engine/engine.ts'

export type LogLine = {
  /** As the engine wrote it, to the nanosecond and in UTC, so that times compare as text. */
  at: string
  stream: 'stdout' | 'stderr'
  taskId: string
  line: string
}

type Piece = Pick<LogLine, 'at' | 'stream' | 'taskId'> & { bytes: Buffer }

/** A longer line is given in parts, so that an application without line breaks does not fill our memory. */
const MOST_BYTES = 256 * 1024

/** Lines of a service's or a task's log, asked for with timestamps and details, as they arrive. */
export async function* logLines(source: AsyncIterable<Buffer>, tty: boolean): AsyncGenerator<LogLine> {
  const open = new Map<string, Piece>()
  // The engine cuts lines at 16 KiB, in the middle of a character if need be, and mixes those of several tasks.
  for await (const piece of tty ? ttyPieces(source) : framedPieces(source)) {
    const key = `${piece.taskId} ${piece.stream}`
    const before = open.get(key)
    const whole = before ? { ...before, bytes: Buffer.concat([before.bytes, piece.bytes]) } : piece
    const ended = whole.bytes.at(-1) === LINE_FEED
    if (ended || whole.bytes.length >= MOST_BYTES) yield lineOf(whole)
    if (ended || whole.bytes.length >= MOST_BYTES) open.delete(key)
    else open.set(key, whole)
  }
  for (const piece of open.values()) yield lineOf(piece)
}

const LINE_FEED = 10

function lineOf({ bytes, ...piece }: Piece): LogLine {
  return { ...piece, line: bytes.toString('utf8').replace(/\r?\n$/, '') }
}

/** Eight bytes before each piece: the stream, three zeros, the length. Stream 3 is the engine's own. */
async function* framedPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    while (at + 8 <= rest.length && at + 8 + rest.readUInt32BE(at + 4) <= rest.length) {
      const end = at + 8 + rest.readUInt32BE(at + 4)
      // The engine's own words, when it stops or cannot reach a node.
      if (rest[at] === 3) throw engineFailure('engine_failed', rest.toString('utf8', at + 8, end).trim())
      const piece = pieceOf(rest.subarray(at + 8, end), rest[at] === 2 ? 'stderr' : 'stdout')
      if (piece) yield piece
      at = end
    }
    rest = rest.subarray(at)
  }
}

/** A terminal has one stream and no frames; only a line feed ends a piece. */
async function* ttyPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      const piece = pieceOf(rest.subarray(0, end + 1), 'stdout')
      if (piece) yield piece
      rest = rest.subarray(end + 1)
    }
  }
}

/** `2024-01-31T10:00:00.123456789Z com.docker.swarm.node.id=…,com.docker.swarm.task.id=… the line` */
function pieceOf(bytes: Buffer, stream: Piece['stream']): Piece | null {
  const time = bytes.indexOf(' ')
  const details = bytes.indexOf(' ', time + 1)
  // Anything else is no line of an application.
  if (details < 0 || !/^\d{4}-\d\d-\d\dT/.test(bytes.toString('latin1', 0, time))) return null
  const taskId = /com\.docker\.swarm\.task\.id=([^,]+)/.exec(bytes.toString('latin1', time + 1, details))?.[1] ?? ''
  return { at: bytes.toString('latin1', 0, time), stream, taskId, bytes: bytes.subarray(details + 1) }
}
