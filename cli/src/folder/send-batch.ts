import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ApiError } from '@slipway/contract/client'
import type { Uploads } from '../instance/uploads.ts'
import { type Put, putBlob, wholeFile } from './put-blob.ts'
import { tarEntry } from './tar-entry.ts'
import type { Content } from './walk.ts'

type Options = Omit<Put, 'file'> & { files: Content[] }

/** What is handed on at once: compressing every small file by itself would take longer than compressing it. */
const PIECE = 64 * 1024

/** Sends these contents as one archive; one by one where that leaves open which of them is not as announced. */
export async function sendBatch(uploads: Uploads, { files, ...to }: Options): Promise<void> {
  const [first] = files
  if (first !== undefined && files.length === 1) return putBlob(uploads, { ...to, file: first })
  let moved = 0
  const onBytes = (count: number) => {
    moved += count
    to.onBytes(count)
  }
  try {
    await uploads.send('POST', `/api/projects/folder-sessions/${to.id}/blobs`, {
      type: 'application/gzip',
      body: archive(to.root, files, onBytes),
      signal: to.signal,
    })
  } catch (error) {
    to.onBytes(-moved)
    if (!(error instanceof ApiError && APART.includes(error.body.code))) throw error
    for (const file of files) await putBlob(uploads, { ...to, file })
  }
}

/** One of them changed, or the instance is older than this way of sending. */
const APART = ['hash_mismatch', 'route_not_found']

async function* archive(root: string, files: Content[], onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 1 })
  const fed = pipeline(pieces(root, files, onBytes), gzip)
  fed.catch(() => {})
  try {
    yield* gzip
  } catch {
    // It tells why the archive broke off, which the compressor does not.
    await fed
  }
}

async function* pieces(root: string, files: Content[], onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  let [waiting, bytes]: [Buffer[], number] = [[], 0]
  for (const file of files) {
    const entry = tarEntry(file.sha256, wholeFile(root, file))
    onBytes(file.size)
    waiting.push(...entry)
    bytes += file.size
    if (bytes < PIECE) continue
    yield Buffer.concat(waiting)
    ;[waiting, bytes] = [[], 0]
  }
  yield Buffer.concat([...waiting, END])
}

/** Two empty blocks end an archive. */
const END = Buffer.alloc(1024)
