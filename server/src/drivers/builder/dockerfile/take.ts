import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { BuildRequest } from '../builder.ts'
import { plainStart } from './leading-lines.ts'

export type Dockerfile = {
  /** The copy that is built: what was checked is what BuildKit gets. */
  path: string
  text: string
  /** As people know it. */
  shown: string
  /** Puts the name people know into words about the copy. */
  rename(words: string): string
}

/** Its first lines can be read in more than one way. */
type Ambiguous = { line: number; message: string; shown: string }

const MOST_BYTES = 1 << 20

/**
 * Copies the Dockerfile, and the ignore file that belongs to it alone, into the build's own folder. The copy's name is new
 * for every build, because engines before 23 keep the last one by name, size and mtime.
 */
export async function takeDockerfile(
  { context, dockerfile }: Pick<BuildRequest, 'context' | 'dockerfile'>,
  folder: string,
): Promise<Dockerfile | Ambiguous | { missing: string }> {
  const shown = 'text' in dockerfile ? 'Dockerfile' : dockerfile.inContext
  const name = `${randomBytes(8).toString('hex')}.Dockerfile`
  const path = join(folder, name)
  const rename = (words: string) => words.replaceAll(path, shown).replaceAll(name, shown)
  if ('text' in dockerfile) return written(Buffer.from(dockerfile.text), { path, shown, rename })
  const source = await fileInside(context, shown)
  if (source === null) return { missing: shown }
  const ignore = await fileInside(context, `${shown}.dockerignore`)
  if (ignore !== null) await copyFile(ignore, `${path}.dockerignore`, constants.COPYFILE_EXCL)
  return written(await readFile(source), { path, shown, rename })
}

/** What is judged is what was written down in the source; what is built has the lines before its first instruction made plain. */
async function written(bytes: Buffer, copy: Omit<Dockerfile, 'text'>): Promise<Dockerfile | Ambiguous> {
  const plain = plainStart(bytes)
  if ('message' in plain) return { ...plain, shown: copy.shown }
  await writeFile(copy.path, plain.bytes, { flag: 'wx', mode: 0o600 })
  return { ...copy, text: bytes.toString('utf8') }
}

/** The real path of a plain file below the directory; null for all else, such as a link that leads out. */
async function fileInside(directory: string, path: string): Promise<string | null> {
  try {
    const root = await realpath(directory)
    const file = await realpath(join(root, path))
    const { size, ...kind } = await stat(file).then((found) => ({ size: found.size, isFile: found.isFile() }))
    return file.startsWith(root + sep) && kind.isFile && size <= MOST_BYTES ? file : null
  } catch {
    return null
  }
}
