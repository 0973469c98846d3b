import type { SFTPWrapper } from 'ssh2'

export type DiskSpace = { totalBytes: number; freeBytes: number }

/** What stands at a socket's path, as far as the SSH user can tell. */
export type SocketState = 'missing' | 'denied' | 'not_listening' | 'listening' | 'unknown'

/** The first `maxBytes` of a file. Reads to the end instead of trusting the size: files of /proc say 0. */
export async function readFile(sftp: SFTPWrapper, path: string, maxBytes: number): Promise<Buffer> {
  const handle = await call<Buffer>((done) => sftp.open(path, 'r', done))
  try {
    const chunks: Buffer[] = []
    let size = 0
    while (size < maxBytes) {
      const want = Math.min(32_768, maxBytes - size)
      const chunk = await readChunk(sftp, handle, size, want)
      if (chunk.length === 0) break
      chunks.push(chunk)
      size += chunk.length
    }
    return Buffer.concat(chunks)
  } finally {
    sftp.close(handle, () => {})
  }
}

function readChunk(sftp: SFTPWrapper, handle: Buffer, position: number, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sftp.read(handle, Buffer.alloc(length), 0, length, position, (error, bytes, data) => {
      if (error) reject(error)
      else resolve(data.subarray(0, bytes))
    })
  })
}

/** Total and free space of the file system that holds `path`; free as an ordinary user may use it. */
export async function diskSpace(sftp: SFTPWrapper, path: string): Promise<DiskSpace> {
  type FileSystem = { f_frsize: number; f_blocks: number; f_bavail: number }
  const fs = await call<FileSystem>((done) => sftp.ext_openssh_statvfs(path, done))
  return { totalBytes: fs.f_blocks * fs.f_frsize, freeBytes: fs.f_bavail * fs.f_frsize }
}

/**
 * sshd says only "open failed" for a missing, a forbidden and a dead socket, and for forwarding switched off. Opening the
 * path as a file tells the first two apart (a socket cannot be opened, so nothing happens to it), /proc/net/unix the rest.
 */
export async function socketState(sftp: SFTPWrapper, path: string): Promise<SocketState> {
  try {
    const handle = await call<Buffer>((done) => sftp.open(path, 'r+', done))
    sftp.close(handle, () => {})
    return 'not_listening' // an ordinary file
  } catch (error) {
    const status = statusOf(error)
    if (status === noSuchFile) return 'missing'
    if (status === permissionDenied) return 'denied'
    if (status !== failure) return 'unknown'
  }
  try {
    const real = await call<string>((done) => sftp.realpath(path, done))
    const table = (await readFile(sftp, '/proc/net/unix', 4_000_000)).toString()
    return listens(table, [path, real]) ? 'listening' : 'not_listening'
  } catch {
    return 'unknown'
  }
}

/** Columns: Num RefCount Protocol Flags Type St Inode Path; bit 16 of Flags marks a listening socket. */
function listens(table: string, paths: string[]): boolean {
  return table.split('\n').some((line) => {
    const [, , , flags, , , , path] = line.split(' ').filter((word) => word !== '')
    return path !== undefined && paths.includes(path) && (Number.parseInt(flags ?? '', 16) & 0x10000) !== 0
  })
}

const noSuchFile = 2
const permissionDenied = 3
const failure = 4

/** Why a path could not be read, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  const status = statusOf(error)
  if (status === noSuchFile) return 'it does not exist'
  if (status === permissionDenied) return 'permission denied'
  return error instanceof Error ? error.message : String(error)
}

function statusOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code
}

/** A callback API as a promise; what it throws at once (an unsupported extension, a closed channel) rejects too. */
export function call<T>(start: (done: (error: Error | null | undefined, value: T) => void) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(error) : resolve(value)))
  })
}
