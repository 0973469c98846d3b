import { setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { checkKey, checkPrefix, isKey } from '../keys.ts'
import { hashInline } from '../sha256.ts'
import type { GetOptions, OpenOptions, S3Place, Storage, StorageOptions, StoragePage } from '../storage.ts'
import { forget, readable, SourceFailed } from '../stream.ts'
import { type Bucket, openBucket } from './client.ts'
import { explainS3, nameOf, statusOf } from './explain.ts'
import { put } from './upload.ts'

const PAGE = 1_000
const PAGE_LEAVES = 4 * 1024 * 1024
const AT_ONCE = 8

export async function openS3(place: S3Place, options: OpenOptions): Promise<Storage> {
  const bucket = await openBucket(place, options)
  const { signal: life } = options
  const work = async <T>(what: string, { signal }: StorageOptions, run: (signal: AbortSignal) => Promise<T>) => {
    const either = AbortSignal.any([life, signal])
    setMaxListeners(0, either)
    either.throwIfAborted()
    try {
      return await run(either)
    } catch (error) {
      if (either.aborted) throw either.reason
      if (error instanceof SourceFailed) throw error.cause
      throw explainS3(error, place, what)
    }
  }
  return {
    put: (key, source, given) =>
      work(`write ${key}`, given, async (signal) => {
        checkKey(key)
        return put(bucket, key, source, { ...given, signal })
      }),
    get: (key, given) => work(`read ${key}`, given, (signal) => get(bucket, key, { ...given, signal })),
    stat: (key, given) => work(`look at ${key}`, given, (signal) => stat(bucket, key, signal)),
    list: (prefix, given) =>
      work(`list ${prefix}`, given, async (signal) => {
        checkPrefix(prefix)
        return list(bucket, prefix, { ...given, signal })
      }),
    delete: (key, given) => work(`delete ${key}`, given, (signal) => remove(bucket, key, signal)),
    deleteMany: (keys, given) => work('delete objects', given, (signal) => removeMany(bucket, keys, signal)),
    sweep: (given) => work('look for unfinished uploads', given, (signal) => sweep(bucket, { ...given, signal })),
    close() {
      bucket.client.destroy()
      bucket.agents.destroy()
    },
  }
}

async function get(bucket: Bucket, key: string, options: GetOptions): Promise<Readable> {
  checkKey(key)
  const { sdk, client, name, full, place } = bucket
  const { range, signal } = options
  const wanted = range && { Range: `bytes=${range.from}-${range.to ?? ''}` }
  const explain = (error: unknown) => explainS3(error, place, `read ${key}`)
  try {
    const request = new sdk.GetObjectCommand({ Bucket: name, Key: full(key), ...wanted })
    const { Body } = await client.send(request, { abortSignal: signal })
    const body = Body as IncomingMessage
    // Whoever reads learns of it as the end of what is read.
    body.on('error', () => {})
    // A reader that takes its time is not a silent server.
    body.socket.setTimeout(0)
    const chunks = unlessSilent(body, bucket.stallMs)
    return readable(
      { chunks, close: () => body.destroy() },
      { ...options, what: key, buffers: 2, newSum: hashInline, explain },
    )
  } catch (error) {
    // Beyond the end there is nothing, as in a file.
    if (range === undefined || statusOf(error) !== 416) throw error
    return Readable.from([])
  }
}

/** Only the time that the other side is waited for counts. */
async function* unlessSilent(body: Readable, stallMs: number): AsyncGenerator<Uint8Array> {
  let waiting = true
  const silent = () => Object.assign(new Error(`it said nothing for ${stallMs / 1000} s`), { name: 'TimeoutError' })
  const timer = setTimeout(() => waiting && body.destroy(silent()), stallMs)
  try {
    for await (const chunk of body) {
      waiting = false
      yield chunk
      waiting = true
      timer.refresh()
    }
  } finally {
    clearTimeout(timer)
  }
}

async function stat({ sdk, client, name, full }: Bucket, key: string, abortSignal: AbortSignal) {
  checkKey(key)
  try {
    const request = new sdk.HeadObjectCommand({ Bucket: name, Key: full(key) })
    const found = await client.send(request, { abortSignal })
    return { bytes: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? new Date(0) }
  } catch (error) {
    if (statusOf(error) !== 404 || nameOf(error) === 'NoSuchBucket') throw error
    return null
  }
}

type ListRequest = { signal: AbortSignal; cursor?: string; limit?: number }

async function list(
  bucket: Bucket,
  prefix: string,
  { signal, cursor, limit = PAGE }: ListRequest,
): Promise<StoragePage> {
  const { sdk, client, name, base } = bucket
  const request = new sdk.ListObjectsV2Command({
    Bucket: name,
    Prefix: base + prefix,
    MaxKeys: Math.min(Math.max(limit, 1), PAGE),
    ...(cursor !== undefined && { ContinuationToken: cursor }),
  })
  const { Contents = [], NextContinuationToken } = await client.send(request, { abortSignal: signal })
  const objects = Contents.map(({ Key = '', Size = 0, LastModified = new Date(0) }) => ({
    key: Key.slice(base.length),
    bytes: Size,
    modifiedAt: LastModified,
  }))
  // Reading a page leaves megabytes of its XML behind; without a word they pile up to a hundred.
  forget(PAGE_LEAVES, 2)
  // Others may have put objects here whose names no file could have.
  return { objects: objects.filter(({ key }) => isKey(key)), cursor: NextContinuationToken ?? null }
}

async function remove({ sdk, client, name, full }: Bucket, key: string, abortSignal: AbortSignal): Promise<void> {
  checkKey(key)
  await client.send(new sdk.DeleteObjectCommand({ Bucket: name, Key: full(key) }), { abortSignal })
}

async function removeMany(bucket: Bucket, keys: readonly string[], abortSignal: AbortSignal): Promise<void> {
  const { sdk, client, name, full } = bucket
  for (const key of keys) checkKey(key)
  for (let at = 0; at < keys.length; at += PAGE) {
    const some = keys.slice(at, at + PAGE)
    const request = { Bucket: name, Delete: { Objects: some.map((key) => ({ Key: full(key) })), Quiet: true } }
    try {
      const { Errors = [] } = await client.send(new sdk.DeleteObjectsCommand(request), { abortSignal })
      const [first] = Errors.filter(({ Code }) => Code !== 'NoSuchKey')
      if (!first) continue
      throw Object.assign(new Error(first.Message ?? ''), { name: first.Code ?? 'Error' })
    } catch (error) {
      if (!unsupported(error)) throw error
      await oneByOne(bucket, some, abortSignal)
    }
  }
}

/** Some servers have no such request, want it with a sum that the SDK does not make any more, or stumble over a name in it. */
const unsupported = (error: unknown) => [400, 405, 411, 501].includes(statusOf(error) ?? 0)

async function oneByOne(bucket: Bucket, keys: readonly string[], signal: AbortSignal): Promise<void> {
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    await Promise.all(keys.slice(at, at + AT_ONCE).map((key) => remove(bucket, key, signal)))
  }
}

type Sweeping = { signal: AbortSignal; olderThan: Date }

async function sweep({ sdk, client, name, base }: Bucket, { signal, olderThan }: Sweeping): Promise<number> {
  let swept = 0
  let markers: { KeyMarker?: string; UploadIdMarker?: string } = {}
  for (;;) {
    const request = new sdk.ListMultipartUploadsCommand({ Bucket: name, Prefix: base, ...markers })
    const page = await client.send(request, { abortSignal: signal })
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (!Key || !UploadId || !Initiated || Initiated >= olderThan) continue
      const abort = new sdk.AbortMultipartUploadCommand({ Bucket: name, Key, UploadId })
      await client.send(abort, { abortSignal: signal }).catch((error) => {
        if (nameOf(error) !== 'NoSuchUpload') throw error
      })
      swept += 1
    }
    if (!page.IsTruncated || !page.NextKeyMarker) return swept
    markers = {
      KeyMarker: page.NextKeyMarker,
      ...(page.NextUploadIdMarker !== undefined && { UploadIdMarker: page.NextUploadIdMarker }),
    }
  }
}
