import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '@slipway/contract/client'
import type { Uploads } from '../instance/uploads.ts'
import { patiently } from './patiently.ts'
import type { Content } from './walk.ts'

export type Put = { id: string; root: string; file: Content; signal: AbortSignal; onBytes(count: number): void }

/** What was announced is not what is there any more. */
export class ChangedMeanwhile extends Error {
  readonly files: Content[]
  constructor(files: Content[]) {
    super('Files changed while they were sent.')
    this.files = files
  }
}

/** Below this a file is sent from memory; above, as it is read. */
const WHOLE_BYTES = 256 * 1024
const CHUNK = 128 * 1024
const TRIES = 3

/** Sends one content, a few times if need be. */
export const putBlob = (uploads: Uploads, options: Put): Promise<void> =>
  patiently(() => putOnce(uploads, options), options.signal, TRIES)

async function putOnce(uploads: Uploads, { id, root, file, signal, onBytes }: Put): Promise<void> {
  const path = join(root, file.path)
  let moved = 0
  const onMoved = (count: number) => {
    moved += count
    onBytes(count)
  }
  const body = file.size > WHOLE_BYTES ? pieces(path, file) : [wholeFile(root, file)]
  try {
    await uploads.send('PUT', `/api/projects/folder-sessions/${id}/blobs/${file.sha256}`, {
      type: 'application/octet-stream',
      body,
      size: file.size,
      signal,
      onMoved,
    })
  } catch (error) {
    onBytes(-moved)
    if (error instanceof ApiError && error.body.code === 'hash_mismatch') throw new ChangedMeanwhile([file])
    throw error
  }
}

/** Exactly as many bytes as were announced; what has grown since is not the concern of this upload. */
export function wholeFile(root: string, file: Content): Buffer {
  const bytes = bytesOf(join(root, file.path))
  if (bytes === null || bytes.length < file.size) throw new ChangedMeanwhile([file])
  return bytes.subarray(0, file.size)
}

function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

/** One buffer, over and over: whoever takes a piece is done with it before asking for the next. */
async function* pieces(path: string, file: Content): AsyncGenerator<Buffer> {
  const handle = await open(path).catch(() => {
    throw new ChangedMeanwhile([file])
  })
  try {
    const buffer = Buffer.allocUnsafe(CHUNK)
    for (let left = file.size; left > 0; ) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK, left))
      if (bytesRead === 0) throw new ChangedMeanwhile([file])
      left -= bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}
