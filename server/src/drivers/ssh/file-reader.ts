import type { FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2'
import { DriverFailure, isFailure } from '../../errors.ts'
import type { SshFailure } from './failure.ts'

export type FileKind = 'file' | 'folder' | 'link' | 'other'
export type FileFailureCode = 'missing' | 'denied' | 'not_a_file' | 'too_large' | 'failed'

/** Files of a machine, to be looked at and nothing else: there is no way to write from here. Failures are FileFailure. */
export type FileReader = {
  /** Where a path ends once all links are followed. */
  realpath(path: string): Promise<string>
  /** Of the entry itself, a link not followed. */
  facts(path: string): Promise<{ kind: FileKind; size: number }>
  /** A plain file of at most so many bytes; what was opened is looked at again, for the path may lead elsewhere by then. */
  read(path: string, mostBytes: number): Promise<Buffer>
  /** The beginning of a folder: it may hold millions. */
  list(path: string, most: number): Promise<{ entries: { name: string; kind: FileKind }[]; cut: boolean }>
  linkTarget(path: string): Promise<string>
  readonly cost: { calls: number; bytes: number }
}

/** A file could not be looked at. Nothing of its content is in here. */
export type FileFailure = DriverFailure<'files', FileFailureCode>

export const fileFailure = (code: FileFailureCode, cause?: unknown): FileFailure =>
  new DriverFailure('files', code, `A file cannot be read: ${code}.`, {
    hint: 'Check the path, and that the user whom Slipway connects as may read it.',
    cause,
  })

const PIECE = 32_768

type Asking = { sftp: SFTPWrapper; cost: FileReader['cost']; ask: Ask }
type Ask = <T>(start: (done: (error: Error | null | undefined, value: T) => void) => unknown) => Promise<T>

/** Over SFTP. Every request ends with the signal. */
export function sftpFiles(sftp: SFTPWrapper, signal: AbortSignal): FileReader {
  const cost = { calls: 0, bytes: 0 }
  const ask: Ask = (start) => {
    cost.calls++
    return asked(start, signal)
  }
  const asking = { sftp, cost, ask }
  return {
    cost,
    realpath: (path) =>
      told(
        ask<string>((done) => sftp.realpath(path, done)),
        signal,
      ),
    facts: (path) =>
      told(
        ask<Stats>((done) => sftp.lstat(path, done)).then(({ mode, size }) => ({ kind: kindOf(mode), size })),
        signal,
      ),
    read: (path, mostBytes) => told(readFile(asking, path, mostBytes), signal),
    list: (path, most) => told(listFolder(asking, path, most), signal),
    linkTarget: (path) =>
      told(
        ask<string>((done) => sftp.readlink(path, done)),
        signal,
      ),
  }
}

async function readFile({ sftp, cost, ask }: Asking, path: string, mostBytes: number): Promise<Buffer> {
  const handle = await ask<Buffer>((done) => sftp.open(path, 'r', done))
  const piece = (position: number) => readPiece({ sftp, cost, ask }, handle, position)
  try {
    // The first piece is asked for in the same breath: most files have no more, and the server may be far.
    const [stats, first] = await Promise.all([
      ask<Stats>((done) => sftp.fstat(handle, done)),
      piece(0).catch(() => Buffer.alloc(0)),
    ])
    if (!stats.isFile()) throw fileFailure('not_a_file')
    if (stats.size > mostBytes) throw fileFailure('too_large')
    const rest: Promise<Buffer>[] = []
    for (let at = PIECE; at < stats.size; at += PIECE) rest.push(piece(at))
    const whole = Buffer.concat([first, ...(await Promise.all(rest))])
    cost.bytes += whole.length
    return whole.subarray(0, mostBytes)
  } finally {
    sftp.close(handle, () => {})
  }
}

async function readPiece({ sftp, ask }: Asking, handle: Buffer, position: number): Promise<Buffer> {
  const read = ask<Buffer>((done) =>
    sftp.read(handle, Buffer.alloc(PIECE), 0, PIECE, position, (error, count, buffer) =>
      done(error, error ? Buffer.alloc(0) : Buffer.from(buffer.subarray(0, count))),
    ),
  )
  return read.catch(unlessEnd(Buffer.alloc(0)))
}

async function listFolder({ sftp, ask }: Asking, path: string, most: number) {
  const handle = await ask<Buffer>((done) => sftp.opendir(path, done))
  const entries: { name: string; kind: FileKind }[] = []
  try {
    while (entries.length < most) {
      // By its handle, in batches: ssh2's readdir of a path keeps the whole folder, however large it is.
      const batch = await ask<FileEntryWithStats[]>((done) => sftp.readdir(handle, done)).catch(unlessEnd([]))
      if (batch.length === 0) return { entries, cut: false }
      for (const { filename, attrs } of batch)
        if (filename !== '.' && filename !== '..') entries.push({ name: filename, kind: kindOf(attrs.mode) })
    }
    return { entries: entries.slice(0, most), cut: true }
  } finally {
    sftp.close(handle, () => {})
  }
}

const unlessEnd =
  <T>(nothing: T) =>
  (error: unknown): T => {
    if (statusOf(error) === END_OF_FILE) return nothing
    throw error
  }

export function kindOf(mode: number): FileKind {
  const type = mode & 0o170000
  if (type === 0o100000) return 'file'
  if (type === 0o040000) return 'folder'
  return type === 0o120000 ? 'link' : 'other'
}

const END_OF_FILE = 1
const REASONS: Record<number, FileFailureCode> = { 2: 'missing', 3: 'denied' }
const statusOf = (error: unknown) => (error as { code?: unknown } | null)?.code

/** Words of the server are dropped: they are not needed, and could be anything. */
async function told<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work
  } catch (error) {
    signal.throwIfAborted()
    if (isFailure(error, 'files') || isFailure<SshFailure>(error, 'ssh')) throw error
    throw fileFailure(REASONS[Number(statusOf(error))] ?? 'failed', error)
  }
}

function asked<T>(
  start: (done: (error: Error | null | undefined, value: T) => void) => unknown,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    start((error, value) => {
      signal.removeEventListener('abort', stop)
      if (error) reject(error)
      else resolve(value)
    })
  })
}
