import { createHash, randomBytes } from 'node:crypto'
import { chmod, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { diskFull, Refusal } from '../../errors.ts'
import { spend } from '../../process/v8-heap.ts'
import type { BlobStore, StoredBlob, WriteOptions } from './blob-store.ts'
import { LOCATION, listFiles, removeFilesOlderThan } from './disk-listing.ts'

const ORGANIZATION = /^org_[0-9a-z]{20,40}$/
/** Its name is no organization's: a listing of what is stored never enters it. */
const UNFINISHED = '.unfinished'

/**
 * Contents as files: `<organization>/<first two digits>/<sha256>.<random>`. The random part keeps a removal from hitting
 * the same content when it is uploaded again meanwhile.
 */
export function diskBlobs(directory: string): BlobStore {
  const unfinished = join(directory, UNFINISHED)
  // On first use: commands that store nothing leave no folder behind.
  const prepare = onceOnly(async () => {
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    await chmod(directory, 0o700)
  })
  const pathOf = (location: string) => join(directory, checked(LOCATION, location, 'location'))

  return {
    async write(orgId, body, options): Promise<StoredBlob> {
      checked(ORGANIZATION, orgId, 'organization')
      const temporary = join(unfinished, randomBytes(16).toString('hex'))
      try {
        await prepare()
        const { size, sha256 } = await receive(temporary, body, options)
        const location = `${orgId}/${sha256.slice(0, 2)}/${sha256}.${randomBytes(8).toString('hex')}`
        await place(temporary, pathOf(location))
        return { location, size, sha256 }
      } catch (error) {
        await rm(temporary, { force: true })
        // A bare system error could be taken for one of the database's.
        if (error instanceof Refusal) throw error
        throw diskFull(error as NodeJS.ErrnoException) ?? new Error('a content could not be stored', { cause: error })
      }
    },
    async read(location): Promise<Readable | null> {
      const file = await open(pathOf(location), 'r').catch(nullWhenAbsent)
      return file?.createReadStream() ?? null
    },
    async remove(location) {
      await rm(pathOf(location), { force: true })
    },
    listOlderThan: (milliseconds) => listFiles(directory, milliseconds),
    removeUnfinished: (milliseconds) => removeFilesOlderThan(unfinished, milliseconds),
  }
}

function onceOnly(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work().catch((error) => {
      done = undefined
      throw error
    })
    return done
  }
}

async function receive(path: string, body: AsyncIterable<Uint8Array>, options: WriteOptions) {
  const file = await open(path, 'wx', 0o600)
  try {
    const { size, sha256 } = await copy(file, body, options)
    await file.datasync()
    return { size, sha256 }
  } finally {
    await file.close()
  }
}

async function copy(file: FileHandle, body: AsyncIterable<Uint8Array>, options: WriteOptions) {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    // Before the write: what is too long is not received to its end first.
    if (options.size !== undefined && size > options.size) throw wrongSize(`more than the announced ${options.size}`)
    if (size > options.maxBytes) throw tooLarge(options.maxBytes)
    hash.update(chunk)
    await writeAll(file, chunk)
    spend(chunk.byteLength)
  }
  if (options.size !== undefined && size !== options.size) throw wrongSize(`${size}, announced were ${options.size}`)
  const sha256 = hash.digest('hex')
  if (options.sha256 !== undefined && sha256 !== options.sha256) {
    throw new Refusal('hash_mismatch', `The content has the SHA-256 ${sha256}, announced was ${options.sha256}.`, {
      hint: 'The file changed or was damaged on its way; read it again and send it under its own hash.',
    })
  }
  return { size, sha256 }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let done = 0
  while (done < chunk.byteLength) done += (await file.write(chunk, done)).bytesWritten
}

/** The row that names the file is written next, so the name must be on disk before: hence the syncing of directories. */
async function place(temporary: string, path: string): Promise<void> {
  const shard = dirname(path)
  try {
    await rename(temporary, path)
  } catch (error) {
    if (!isAbsent(error)) throw error
    await mkdir(shard, { recursive: true, mode: 0o700 })
    await rename(temporary, path)
    await syncDirectory(dirname(shard))
    await syncDirectory(dirname(dirname(shard)))
  }
  await syncDirectory(shard)
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Nothing reaches a path that does not look exactly as we would have made it. */
function checked(form: RegExp, value: string, what: string): string {
  if (!form.test(value)) throw new Error(`${JSON.stringify(value)} is not the ${what} of a blob`)
  return value
}

const isAbsent = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

function nullWhenAbsent(error: unknown): null {
  if (isAbsent(error)) return null
  throw new Error('a stored content could not be opened', { cause: error })
}

const wrongSize = (how: string) =>
  new Refusal('hash_mismatch', `The size of the content in bytes is ${how}.`, {
    hint: 'The file changed since it was announced; begin a new folder session.',
  })

const tooLarge = (limit: number) =>
  new Refusal('too_large', `The content is larger than ${limit} bytes, the limit for one file.`)
