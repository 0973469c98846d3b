import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { storageFailure } from '../storage.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
const FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

/**
 * Against TOCTOU: a name inside a folder that is held open. The kernel starts at the folder itself, wherever it lies by now, so that nobody
 * can put a link in its place between a check and its use. What POSIX calls openat, in the words that Node has.
 */
export const within = (folder: FileHandle, name: string) => `/proc/self/fd/${folder.fd}/${name}`

/** Goes down folder by folder, following no link. The caller closes what it gets. */
export async function descend(from: FileHandle, names: string[], { make }: { make: boolean }): Promise<FileHandle> {
  let here = from
  try {
    for (const name of names) {
      const next = await enter(here, name, make)
      if (here !== from) await here.close()
      here = next
    }
    return here === from ? await open(within(from, '.'), O_RDONLY | O_DIRECTORY) : here
  } catch (error) {
    if (here !== from) await here.close()
    throw error
  }
}

async function enter(folder: FileHandle, name: string, make: boolean): Promise<FileHandle> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open(within(folder, name), FOLDER)
    } catch (error) {
      if (!make || attempt === 3 || (error as NodeJS.ErrnoException).code !== 'ENOENT')
        throw await asLink(folder, name, error)
    }
    await mkdir(within(folder, name), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Linux says "not a folder" for a link that is not followed; say what it is. */
async function asLink(folder: FileHandle, name: string, error: unknown): Promise<unknown> {
  const isLink = await readlink(within(folder, name)).then(
    () => true,
    () => false,
  )
  return isLink ? storageFailure('outside_root', `${name} is a link, and links are not followed here.`) : error
}

/** The folder at `path`, made if need be, inside the root after every link on both sides. */
export async function openInside(root: string, path: string, prefix: string[]): Promise<FileHandle> {
  const base = await realRoot(root)
  if (!isAbsolute(path)) throw storageFailure('bad_place', `${path} is not an absolute path.`)
  const names = relative(base, await realTarget(resolve(path)))
  if (names === '..' || names.startsWith(`..${sep}`) || isAbsolute(names)) {
    throw storageFailure('outside_root', `${path} does not lie inside ${root}.`)
  }
  const top = await open(base, FOLDER)
  try {
    // Somebody may have moved it meanwhile, with a link in its old place.
    if ((await readlink(`/proc/self/fd/${top.fd}`)) !== base) {
      throw storageFailure('outside_root', `${root} changed while it was looked at.`)
    }
    return await descend(top, [...names.split(sep).filter(Boolean), ...prefix], { make: true })
  } finally {
    await top.close()
  }
}

async function realRoot(root: string): Promise<string> {
  try {
    return await realpath(root)
  } catch (error) {
    throw storageFailure('root_missing', `The folder ${root} is not there.`, { cause: error })
  }
}

/** As `realpath`, for a path whose last folders may not be there yet. */
async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    return resolve(await realTarget(parent), relative(parent, path))
  }
}
