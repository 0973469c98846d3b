import type { FileSink } from '../files/tree.ts'
import { storageFailure } from '../storage.ts'
import type { ByteSource } from '../stream.ts'
import { STATUS, statusOf } from './explain.ts'
import type { Session } from './session.ts'

/**
 * Seven packets of the usual 32 KiB with what a request says beside its bytes, so that none is sent for a rest. ssh2 divides
 * it further for servers that take less.
 */
export const PIECE = 7 * 32 * 1024 - 64
/** Requests under way: a little more than the 2 MiB that either side takes before it wants to hear of the first. */
const UNDER_WAY = 10

/** Writes without waiting for each answer, in order of the bytes. */
export function sinkOf(session: Session, handle: Buffer, signal: AbortSignal): FileSink {
  const { sftp } = session
  const patient = session.patience(signal)
  const state = { sent: 0, acknowledged: 0, pending: 0, failure: undefined as { error: unknown } | undefined }
  let wake: (() => void) | undefined
  const send = (piece: Buffer) => {
    const position = state.sent
    state.sent += piece.length
    state.pending += 1
    // The piece is copied before `write` returns.
    sftp.write(handle, piece, 0, piece.length, position, (error) => {
      state.pending -= 1
      if (error) state.failure ??= { error }
      else state.acknowledged += piece.length
      wake?.()
    })
  }
  const downTo = async (most: number) => {
    while (state.pending > most && !state.failure) {
      await patient.wait(
        new Promise<void>((resolve) => {
          wake = resolve
        }),
      )
    }
    if (state.failure) throw state.failure.error
  }
  const close = (limit: AbortSignal) => session.ask<void>(limit, (done) => sftp.close(handle, (error) => done(error)))
  return {
    async write(piece) {
      send(piece)
      if (state.pending >= UNDER_WAY) await downTo(UNDER_WAY - 4)
    },
    async finish() {
      await downTo(0)
      patient.end()
      await sync(session, handle, signal)
      await close(signal)
    },
    async abandon() {
      patient.end()
      // The server works in order: once this is answered, no write comes after it.
      await close(AbortSignal.timeout(2_000)).catch(() => {})
    },
    written: () => state.acknowledged,
  }
}

/** Brings the file to the disk, where the server knows how. */
async function sync({ sftp, ask }: Session, handle: Buffer, signal: AbortSignal): Promise<void> {
  try {
    await ask(signal, (done) => sftp.ext_openssh_fsync(handle, (error) => done(error, undefined)))
  } catch (error) {
    const unknown = statusOf(error) === STATUS.unsupported || /does not support/.test((error as Error).message)
    if (!unknown) throw error
  }
}

/** Reads ahead of the caller, as far as `UNDER_WAY` goes. */
export async function sourceOf(
  session: Session,
  path: string,
  range: { from: number; to?: number },
  signal: AbortSignal,
): Promise<ByteSource> {
  const { sftp, ask } = session
  const handle = await ask<Buffer>(signal, (done) => sftp.open(path, 'r', done))
  let open = true
  const close = () => {
    if (open) sftp.close(handle, () => {})
    open = false
  }
  try {
    const found = await ask<{ size: number; isFile(): boolean }>(signal, (done) => sftp.fstat(handle, done as never))
    if (!found.isFile()) throw storageFailure('not_found', `There is no object ${path}.`)
    const end = Math.min(found.size, (range.to ?? Number.MAX_SAFE_INTEGER) + 1)
    return { chunks: readAhead(session, handle, { from: range.from, end }, signal), close }
  } catch (error) {
    close()
    throw error
  }
}

type Span = { from: number; end: number }

async function* readAhead(session: Session, handle: Buffer, { from, end }: Span, signal: AbortSignal) {
  const patient = session.patience(signal)
  const ahead: Promise<Buffer>[] = []
  try {
    for (let next = from; next < end || ahead.length > 0; ) {
      while (next < end && ahead.length < UNDER_WAY) {
        const piece = readWhole(session, handle, next, Math.min(PIECE, end - next))
        piece.catch(() => {})
        ahead.push(piece)
        next += PIECE
      }
      const first = ahead.shift()
      if (first) yield await patient.wait(first)
    }
  } finally {
    patient.end()
  }
}

/** A server may answer with less than it was asked for. */
async function readWhole({ sftp }: Session, handle: Buffer, position: number, length: number): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(length)
  for (let at = 0; at < length; ) {
    const count = await new Promise<number>((resolve, reject) => {
      sftp.read(handle, whole, at, length - at, position + at, (error, bytes) =>
        error ? reject(error) : resolve(bytes),
      )
    })
    if (count === 0) throw storageFailure('corrupted', 'The object became shorter while it was read.')
    at += count
  }
  return whole
}
