import { createHash, hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { EXIT, Failure } from '../failure.ts'
import type { Known } from './checksum-cache.ts'
import { inLanes } from './lanes.ts'
import { type Content, looked } from './walk.ts'

const LANES = 8
/** Each lane reads into the one buffer that it has: a new one for every file would be gigabytes of them. */
const CHUNK = 1 << 18
/** A file that changes while it is read is read again; one that never rests cannot be sent. */
const MOST_READS = 3

/** After so many files whatever else waits has its turn: signals, and what is shown. */
const TURN = 100

type Summed = { contents: Content[]; read: number }

/** Fills in the SHA-256 of each file, from the cache where it cannot have changed. Drops what is gone by now. */
export async function checksum(
  root: string,
  contents: Content[],
  known: Known | null,
  signal: AbortSignal,
): Promise<Summed> {
  let [read, asked] = [0, 0]
  const gone = new Set<Content>()
  const buffers: Buffer<ArrayBuffer>[] = []
  await inLanes(LANES, contents, async (file) => {
    signal.throwIfAborted()
    const before = known?.(file)
    if (before !== undefined) {
      file.sha256 = before
      return
    }
    if (++asked % TURN === 0) await turn()
    const buffer = buffers.pop() ?? Buffer.allocUnsafe(CHUNK)
    if (await readWhole(root, file, signal, buffer)) read += file.size
    else gone.add(file)
    buffers.push(buffer)
  })
  return { contents: gone.size === 0 ? contents : contents.filter((file) => !gone.has(file)), read }
}

/** Reads a file until it was the same before and after. False when it is gone. */
export async function readWhole(
  root: string,
  file: Content,
  signal: AbortSignal,
  buffer = Buffer.allocUnsafe(CHUNK),
): Promise<boolean> {
  try {
    const path = join(root, file.path)
    for (let reads = 0; reads < MOST_READS; reads++)
      if (file.size < CHUNK ? readAtOnce(path, file, buffer) : await readOnce(path, file, signal, buffer)) return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code !== 'EACCES' && code !== 'EPERM') throw error
    const hint = 'Leave it out with a line in .slipwayignore, or let it be read.'
    throw new Failure(EXIT.unexpected, 'file_unreadable', `${file.path} may not be read.`, hint)
  }
  const hint = 'Leave it out with a line in .slipwayignore.'
  throw new Failure(EXIT.unexpected, 'file_changing', `${file.path} changes all the time, and cannot be sent.`, hint)
}

/** A small file: handing its calls to other threads takes many times the processor time of the calls. */
function readAtOnce(path: string, file: Content, buffer: Buffer): boolean {
  const fd = openSync(path, 'r')
  try {
    Object.assign(file, looked(fstatSync(fd)), { mode: file.mode })
    // What has grown beyond the buffer meanwhile is read again, as a large one.
    let bytes = 0
    for (let read = 1; read > 0 && bytes < CHUNK; bytes += read) read = readSync(fd, buffer, bytes, CHUNK - bytes, null)
    file.sha256 = hash('sha256', buffer.subarray(0, bytes))
    return bytes === file.size && looked(fstatSync(fd)).stamp === file.stamp
  } finally {
    closeSync(fd)
  }
}

async function readOnce(path: string, file: Content, signal: AbortSignal, buffer: Buffer): Promise<boolean> {
  const handle = await open(path)
  try {
    // Which files are programs was told by the walk, also where the disk does not know it.
    Object.assign(file, looked(await handle.stat()), { mode: file.mode })
    const hash = createHash('sha256')
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await handle.read(buffer, 0, CHUNK)
      if (bytesRead === 0) break
      hash.update(buffer.subarray(0, bytesRead))
    }
    file.sha256 = hash.digest('hex')
    return looked(await handle.stat()).stamp === file.stamp
  } finally {
    await handle.close()
  }
}
