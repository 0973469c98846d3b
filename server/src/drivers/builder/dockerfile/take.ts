import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { BuildRequest } from '../builder.ts'

export type Dockerfile = {
  /** The copy that is built: what was checked is what BuildKit gets. */
  path: string
  text: string
  /** As people know it. */
  shown: string
  /** Puts the name people know into words about the copy. */
  rename(words: string): string
}

const MOST_BYTES = 1 << 20

/**
 * Copies the Dockerfile, and the ignore file that belongs to it alone, into the build's own folder. The copy's name is new
 * for every build, because engines before 23 keep the last one by name, size and mtime.
 */
export async function takeDockerfile(
  { context, dockerfile }: Pick<BuildRequest, 'context' | 'dockerfile'>,
  folder: string,
): Promise<Dockerfile | { missing: string }> {
  const shown = 'text' in dockerfile ? 'Dockerfile' : dockerfile.inContext
  const name = `${randomBytes(8).toString('hex')}.Dockerfile`
  const path = join(folder, name)
  const rename = (words: string) => words.replaceAll(path, shown).replaceAll(name, shown)
  if ('text' in dockerfile) {
    await writeFile(path, dockerfile.text, { flag: 'wx', mode: 0o600 })
    return { path, text: dockerfile.text, shown, rename }
  }
  const source = await fileInside(context, shown)
  if (source === null) return { missing: shown }
  await copyFile(source, path, constants.COPYFILE_EXCL)
  const ignore = await fileInside(context, `${shown}.dockerignore`)
  if (ignore !== null) await copyFile(ignore, `${path}.dockerignore`, constants.COPYFILE_EXCL)
  return { path, text: await readFile(path, 'utf8'), shown, rename }
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
