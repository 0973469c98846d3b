import { ApiError } from '@slipway/contract/client'
import { api } from '../api/client.ts'
import { archive } from './archive.ts'
import type { Hashed } from './hash-file.ts'
import { changed } from './trouble.ts'

export type Content = Hashed & { path: string; file: File }

/** Sends these contents as one archive; one by one where that leaves open which of them is not as announced. */
export async function sendBatch(id: string, batch: Content[]): Promise<void> {
  const [only] = batch
  if (only && batch.length === 1) return put(id, only)
  const contents = await Promise.all(batch.map(async (one) => ({ sha256: one.sha256, bytes: await bytesOf(one) })))
  const body = await archive(contents)
  const headers = { 'content-type': 'application/gzip' }
  try {
    await api.folderSessions.putBlobs({ params: { id }, body, headers })
  } catch (error) {
    if (!(error instanceof ApiError && error.body.code === 'hash_mismatch')) throw error
    for (const content of batch) await put(id, content)
  }
}

/** The file itself is handed over: the browser reads it while it is sent. A stream would need HTTP/2. */
async function put(id: string, { path, file, sha256: sha }: Content): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' }
  try {
    await api.folderSessions.putBlob({ params: { id, sha }, body: file as never, headers })
  } catch (error) {
    if (error instanceof ApiError && error.body.code === 'hash_mismatch') throw changed(path)
    throw error
  }
}

async function bytesOf({ path, file }: Content): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await file.arrayBuffer())
  } catch {
    throw changed(path)
  }
}
