import { constants } from 'node:fs'
import { type FileHandle, lstat, open, opendir, rename, rmdir, unlink } from 'node:fs/promises'
import type { FileEntry, FileSink, FileTree } from '../files/tree.ts'
import { hashInWorker } from '../sha256.ts'
import { storageFailure } from '../storage.ts'
import type { ByteSource } from '../stream.ts'
import { explainFile } from './explain.ts'
import { descend, within } from './folders.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants
/** Pieces that stay in a processor's cache are written half as fast again as those of a megabyte. */
const PIECE = 256 * 1024
const UNDER_WAY = 8
const READ_AHEAD = 4
const SYNC_EVERY = 64 * 1024 * 1024

/** Files of this machine below a folder that is held open. Links are nowhere followed. */
export function localTree(top: FileHandle): FileTree {
  const inFolderOf = async <T>(path: string, make: boolean, work: (folder: FileHandle, name: string) => Promise<T>) => {
    const names = path.split('/')
    const name = names.pop() ?? ''
    const folder = await descend(top, names, { make })
    try {
      return await work(folder, name)
    } finally {
      await folder.close()
    }
  }
  const ifThere = <T, Else>(work: Promise<T>, otherwise: Else, codes = ['ENOENT', 'ENOTDIR']) =>
    work.catch((error: NodeJS.ErrnoException): Else => {
      if (codes.includes(error.code ?? '')) return otherwise
      throw error
    })
  return {
    pieceBytes: PIECE,
    buffers: 1,
    newSum: hashInWorker,
    create: (path) => withFolder(() => inFolderOf(path, true, createFile)),
    read: (path, range) => inFolderOf(path, false, (folder, name) => openFile(folder, name, range)),
    stat: (path) =>
      ifThere(
        inFolderOf(path, false, async (folder, name) => {
          const found = await lstat(within(folder, name))
          return found.isFile() ? { bytes: found.size, modifiedAt: found.mtime } : null
        }),
        null,
      ),
    entries: (folder) => entries(top, folder),
    rename: (from, to) =>
      withFolder(() =>
        inFolderOf(to, true, (target, name) =>
          inFolderOf(from, false, async (source, old) => {
            await rename(within(source, old), within(target, name))
            await target.sync()
          }),
        ),
      ),
    remove: (path) =>
      ifThere(
        inFolderOf(path, false, async (folder, name) => {
          await unlink(within(folder, name))
          return true
        }),
        false,
      ),
    removeFolder: (path) =>
      inFolderOf(path, false, (folder, name) => rmdir(within(folder, name))).then(
        () => true,
        () => false,
      ),
    explain: async (error, what) => explainFile(error, what),
    close: () => void top.close().catch(() => {}),
  }
}

/** A neighbour that was deleted may take the empty folder with it at this very moment. */
async function withFolder<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 5 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

async function createFile(folder: FileHandle, name: string): Promise<FileSink> {
  const file = await open(within(folder, name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  const state = { sent: 0, written: 0, sinceSync: 0, flushing: false }
  const pending = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  const begin = (work: Promise<void>) => {
    const watched: Promise<void> = work
      .catch((error) => {
        failure ??= { error }
      })
      .finally(() => pending.delete(watched))
    pending.add(watched)
    return watched
  }
  /** Now and then, beside the writing: a disk that gets everything at the end makes everyone wait. */
  const flush = () => {
    if (state.flushing) return
    Object.assign(state, { sinceSync: 0, flushing: true })
    begin(file.datasync()).then(() => {
      state.flushing = false
    })
  }
  return {
    async write(piece) {
      const position = state.sent
      begin(
        writeAll(file, piece, position).then(() => {
          state.written += piece.length
        }),
      )
      state.sent += piece.length
      state.sinceSync += piece.length
      if (state.sinceSync >= SYNC_EVERY) flush()
      while (pending.size >= UNDER_WAY && !failure) await Promise.race(pending)
      if (failure) throw failure.error
    },
    async finish() {
      await Promise.all(pending)
      if (failure) throw failure.error
      await file.datasync()
      await file.close()
    },
    async abandon() {
      await Promise.all(pending)
      await file.close().catch(() => {})
    },
    written: () => state.written,
  }
}

async function writeAll(file: FileHandle, piece: Buffer, position: number): Promise<void> {
  for (let at = 0; at < piece.length; ) {
    at += (await file.write(piece, at, piece.length - at, position + at)).bytesWritten
  }
}

async function openFile(folder: FileHandle, name: string, range: { from: number; to?: number }): Promise<ByteSource> {
  const file = await open(within(folder, name), O_RDONLY | O_NOFOLLOW)
  const close = () => void file.close().catch(() => {})
  try {
    if (!(await file.stat()).isFile()) throw storageFailure('not_found', `There is no object ${name}.`)
    return { chunks: readFile(file, range), close }
  } catch (error) {
    close()
    throw error
  }
}

/** The next pieces are read while the caller looks at the first. */
async function* readFile(file: FileHandle, range: { from: number; to?: number }): AsyncGenerator<Uint8Array> {
  const end = (range.to ?? Number.MAX_SAFE_INTEGER) + 1
  const ahead: Promise<Buffer>[] = []
  for (let next = range.from; ; ) {
    while (next < end && ahead.length < READ_AHEAD) {
      const piece = readPiece(file, next, Math.min(PIECE, end - next))
      piece.catch(() => {})
      ahead.push(piece)
      next += PIECE
    }
    const first = await ahead.shift()
    if (first === undefined || first.length === 0) return
    yield first
    // The last one; what was asked for behind it is empty.
    if (first.length < PIECE) return
  }
}

async function readPiece(file: FileHandle, position: number, length: number): Promise<Buffer> {
  // A new one for each piece: whoever reads may keep it.
  const piece = Buffer.allocUnsafeSlow(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(piece, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return piece.subarray(0, filled)
}

async function* entries(top: FileHandle, path: string): AsyncGenerator<FileEntry> {
  let folder: FileHandle
  try {
    folder = await descend(top, path.split('/').filter(Boolean), { make: false })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return
    throw error
  }
  try {
    for await (const entry of await opendir(within(folder, '.'), { bufferSize: 512 })) {
      const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other'
      yield { kind, name: entry.name }
    }
  } finally {
    await folder.close()
  }
}
