import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type PutOptions, type PutResult, storageFailure } from '../storage.ts'
import { abortable, incoming, progressOf } from '../stream.ts'
import type { Bucket } from './client.ts'
import { nameOf, statusOf } from './explain.ts'
import { type Filled, partsOf } from './parts.ts'
import { send } from './send.ts'

const TIDY_MS = 5_000
const TRY_AGAIN_MS = 250

type Part = { PartNumber: number; ETag: string }
type Upload = { id: string; parts: Part[]; bytes: number; completing: boolean }

/**
 * What fits into one part is one request; the rest is a multipart upload. Nothing is seen under the key before the last
 * request. The server compares each body with the SHA-256 that the request is signed with.
 */
export async function put(
  bucket: Bucket,
  key: string,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<PutResult> {
  const hash = createHash('sha256')
  const ended = new AbortController()
  const stop = AbortSignal.any([options.signal, ended.signal])
  const parts = partsOf(incoming(source, stop), (chunk) => hash.update(chunk), stop)
  try {
    const { value: first } = await parts.next()
    if (!first) throw new Error('a stream has at least one part')
    const bytes = first.last
      ? await putWhole(bucket, key, first, options)
      : await putParts(bucket, key, first, parts, options)
    return { bytes, sha256: hash.digest('hex') }
  } finally {
    // Whatever still waits, for the source or for memory, ends; and the source with it.
    ended.abort()
    parts.return(undefined).catch(() => {})
  }
}

async function putWhole(bucket: Bucket, key: string, { body, sha256 }: Filled, { signal, onProgress }: PutOptions) {
  const { sdk, client, agents, name, full } = bucket
  const where = { Bucket: name, Key: full(key) }
  try {
    await send(bucket, (Body) => new sdk.PutObjectCommand({ ...where, ...Body }), { body, sha256, signal })
  } catch (error) {
    // No answer does not mean that nothing happened.
    const unknown = agents.reached() && (statusOf(error) ?? 500) >= 500
    if (!unknown) throw error
    const abortSignal = AbortSignal.timeout(TIDY_MS)
    const found = await client.send(new sdk.HeadObjectCommand(where), { abortSignal }).catch(() => undefined)
    if (found?.ETag !== `"${createHash('md5').update(body).digest('hex')}"`) throw error
  }
  onProgress?.(body.length)
  return body.length
}

async function putParts(
  bucket: Bucket,
  key: string,
  first: Filled,
  rest: AsyncIterable<Filled>,
  { signal, onProgress }: PutOptions,
): Promise<number> {
  const { sdk, client, name, full } = bucket
  const where = { Bucket: name, Key: full(key) }
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const created = await client.send(new sdk.CreateMultipartUploadCommand(where), { abortSignal: either })
  const upload: Upload = { id: created.UploadId ?? '', parts: [], bytes: 0, completing: false }
  const sending = new Set<Promise<void>>()
  const progress = progressOf(onProgress)
  let acknowledged = 0
  const sendPart = async ({ number, body, sha256, release }: Filled) => {
    const part = { ...where, UploadId: upload.id, PartNumber: number }
    const command = (Body: object) => new sdk.UploadPartCommand({ ...part, ...Body })
    const { ETag = '' } = await send(bucket, command, { body, sha256, signal: either })
    upload.parts.push({ PartNumber: number, ETag })
    acknowledged += body.length
    progress.now(acknowledged)
    release()
  }
  const start = (filled: Filled) => {
    upload.bytes += filled.body.length
    const sent: Promise<void> = sendPart(filled)
      .catch((error) => failed.abort(error))
      .finally(() => sending.delete(sent))
    sending.add(sent)
  }
  try {
    start(first)
    for await (const filled of abortable(rest, either)) start(filled)
    await Promise.all(sending)
    either.throwIfAborted()
    await complete(bucket, where, upload, signal)
  } catch (error) {
    // The others' requests are ended too; a part that arrives after the end of its upload is thrown away.
    failed.abort(error)
    await Promise.all(sending)
    if (!(await tidy(bucket, where, upload))) throw failed.signal.reason
  }
  progress.end(upload.bytes)
  return upload.bytes
}

type Where = { Bucket: string; Key: string }

async function complete({ sdk, client }: Bucket, where: Where, upload: Upload, abortSignal: AbortSignal) {
  const parts = upload.parts.sort((a, b) => a.PartNumber - b.PartNumber)
  upload.completing = true
  const request = { ...where, UploadId: upload.id, MultipartUpload: { Parts: parts } }
  await client.send(new sdk.CompleteMultipartUploadCommand(request), { abortSignal })
  const found = await client.send(new sdk.HeadObjectCommand(where), { abortSignal })
  if (found.ContentLength === upload.bytes) return
  await client.send(new sdk.DeleteObjectCommand(where), { abortSignal })
  const message = `${upload.bytes} bytes were sent, but ${found.ContentLength} arrived.`
  throw storageFailure('corrupted', message)
}

/** Gives the parts back. True when the upload turns out to be complete: its end was not heard of, but did happen. */
async function tidy({ sdk, client }: Bucket, where: Where, upload: Upload): Promise<boolean> {
  const abortSignal = AbortSignal.timeout(TIDY_MS)
  const command = () => new sdk.AbortMultipartUploadCommand({ ...where, UploadId: upload.id })
  while (!abortSignal.aborted) {
    try {
      await client.send(command(), { abortSignal })
      return false
    } catch (error) {
      if (nameOf(error) === 'NoSuchUpload') break
      if ((statusOf(error) ?? 500) < 500) return false // may not, and will not
      await delay(TRY_AGAIN_MS, undefined, { signal: abortSignal }).catch(() => {})
    }
  }
  if (!upload.completing) return false
  const found = await client.send(new sdk.HeadObjectCommand(where), { abortSignal }).catch(() => undefined)
  return found?.ContentLength === upload.bytes
}
