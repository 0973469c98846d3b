import { randomBytes } from 'node:crypto'
import type { Dir } from 'node:fs'
import { link, mkdir, open, opendir, readFile, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataDir, DataDirMark } from './data-dir.ts'

const MARK = 'instance.json'
/** Written by `setup/backup/note.ts`. */
const BACKUP_NOTES = 'platform-backups.json'
/** Folders with a folder per organization or project in them, and those with such folders one step further down. */
const OWNED = ['blobs', 'logs', 'repositories']
const OWNED_BELOW = ['contexts']
const SAMPLE = 100
const OWNER = /^\.?((?:org|prj)_[0-9a-z]+)/

export function localDataDir(path: string): DataDir {
  const file = join(path, MARK)
  return {
    path,
    async readMark() {
      const text = await textOf(file)
      return text === null ? null : parse(text, file)
    },
    async mark(mark) {
      const temporary = await write(path, mark)
      try {
        // Unlike a rename, a link does not replace what is there.
        await link(temporary, file)
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
        throw error
      } finally {
        await rm(temporary, { force: true })
      }
    },
    async remark(mark) {
      await rename(await write(path, mark), file)
    },
    readBackupNotes: () => textOf(join(path, BACKUP_NOTES)),
    async space() {
      const { bsize, blocks, bavail } = await statfs(path)
      return { totalBytes: blocks * bsize, freeBytes: bavail * bsize }
    },
    async sample() {
      const below = await Promise.all(OWNED_BELOW.map(async (name) => [name, await some(join(path, name))] as const))
      const folders = [...OWNED, ...below.flatMap(([name, inner]) => inner.map((one) => join(name, one)))]
      const names = (await Promise.all(folders.map((folder) => some(join(path, folder))))).flat()
      return [...new Set(names.flatMap((name) => OWNER.exec(name)?.[1] ?? []))]
    },
  }
}

const textOf = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

function parse(text: string, file: string): DataDirMark {
  try {
    const { instance, flushed = null } = JSON.parse(text)
    if (typeof instance === 'string') return { instance, flushed: typeof flushed === 'string' ? flushed : null }
  } catch {
    // Said below.
  }
  throw new Error(`${file} does not say which instance this directory belongs to.`)
}

async function write(path: string, mark: DataDirMark): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const temporary = join(path, `.${MARK}.${randomBytes(8).toString('hex')}`)
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(mark)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return temporary
}

/** The first names in a folder, which may have a million; none where there is no folder. */
async function some(folder: string): Promise<string[]> {
  const names: string[] = []
  const directory: Dir | null = await opendir(folder).catch((error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (directory === null) return names
  for await (const { name } of directory) {
    names.push(name)
    if (names.length === SAMPLE) break
  }
  return names
}
