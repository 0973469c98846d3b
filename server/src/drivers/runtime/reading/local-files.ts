import { constants } from 'node:fs'
import { lstat, open, opendir, readlink, realpath } from 'node:fs/promises'
import { isFailure } from '../../../errors.ts'
import { type FileFailureCode, type FileReader, fileFailure, kindOf } from '../../ssh/file-reader.ts'

/** The machine that Slipway itself runs on, looked at in the same way as one over SFTP. */
export function localFiles(signal: AbortSignal): FileReader {
  const cost = { calls: 0, bytes: 0 }

  async function told<T>(work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    cost.calls++
    try {
      return await work()
    } catch (error) {
      if (isFailure(error, 'files')) throw error
      throw fileFailure(REASONS[(error as { code?: string }).code ?? ''] ?? 'failed', error)
    }
  }

  async function read(path: string, mostBytes: number): Promise<Buffer> {
    // TOCTOU: a FIFO that somebody puts there in between must not hold us up, nor a link lead elsewhere.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const stats = await file.stat()
      if (!stats.isFile()) throw fileFailure('not_a_file')
      if (stats.size > mostBytes) throw fileFailure('too_large')
      const { buffer, bytesRead } = await file.read(Buffer.alloc(stats.size), 0, stats.size, 0)
      cost.bytes += bytesRead
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }

  async function list(path: string, most: number) {
    const entries: Awaited<ReturnType<FileReader['list']>>['entries'] = []
    for await (const entry of await opendir(path)) {
      if (entries.length >= most) return { entries, cut: true }
      const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other'
      entries.push({ name: entry.name, kind })
    }
    return { entries, cut: false }
  }

  return {
    cost,
    realpath: (path) => told(() => realpath(path)),
    facts: (path) => told(() => lstat(path).then(({ mode, size }) => ({ kind: kindOf(mode), size }))),
    read: (path, mostBytes) => told(() => read(path, mostBytes)),
    list: (path, most) => told(() => list(path, most)),
    linkTarget: (path) => told(() => readlink(path)),
  }
}

const REASONS: Record<string, FileFailureCode> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  EACCES: 'denied',
  EPERM: 'denied',
  ELOOP: 'not_a_file',
}
