import { randomBytes } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Archive, KEY } from './archive.ts'

/** Begins with what no key may begin with: a listing never takes it for one. */
const UNFINISHED = '.unfinished-'
const BATCH = 500

/** Keys as paths below a directory that all processes see. */
export function diskArchive(directory: string): Archive {
  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new Error(`${JSON.stringify(key)} is not a key of the archive`)
    return join(directory, key)
  }
  return {
    async put(key, bytes) {
      const path = pathOf(key)
      const temporary = join(dirname(path), `${UNFINISHED}${randomBytes(12).toString('hex')}`)
      try {
        await write(directory, temporary, bytes)
        await rename(temporary, path)
        await syncDirectory(dirname(path))
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {})
        throw new Error(`${key} could not be stored`, { cause: error })
      }
    },
    get: (key) => readFile(pathOf(key)).catch((error) => absent(error, `${key} could not be read`)),
    async remove(key) {
      const path = pathOf(key)
      await rm(path, { force: true }).catch((error) => absent(error, `${key} could not be removed`))
      // The last one takes its folder along; another one's folder is not empty and stays.
      await rmdir(dirname(path)).catch(() => {})
    },
    listOlderThan: (milliseconds) => batches(filesBelow(directory, directory, Date.now() - milliseconds)),
  }
}

async function write(root: string, path: string, bytes: Uint8Array): Promise<void> {
  const file = await create(root, path)
  try {
    await file.writeFile(bytes)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** A folder may go with its last file just before this one is the next: then it is made again. */
async function create(root: string, path: string, attempts = 20): Promise<FileHandle> {
  try {
    await makeFolders(root, dirname(path))
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempts === 1) throw error
    return create(root, path, attempts - 1)
  }
}

/** A new folder's name lies in the one above it, which is synced for it. */
async function makeFolders(root: string, folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  const above = relative(dirname(root), folder).split('/').slice(0, -1)
  for (let n = 0; n <= above.length; n++) await syncDirectory(join(dirname(root), ...above.slice(0, n)))
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** What a writer that died left half written goes along the way. */
async function* filesBelow(root: string, folder: string, before: number): AsyncGenerator<string> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(root, path, before)
    else if (await isOlder(path, before)) {
      if (entry.name.startsWith(UNFINISHED)) await rm(path, { force: true })
      else if (KEY.test(relative(root, path))) yield relative(root, path)
    }
  }
}

async function* batches(keys: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const key of keys) {
    batch.push(key)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function isOlder(path: string, before: number): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found !== null && found.mtimeMs < before
}

function absent(error: NodeJS.ErrnoException, what: string): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  // A bare system error could be taken for one of the database's.
  throw new Error(what, { cause: error })
}
