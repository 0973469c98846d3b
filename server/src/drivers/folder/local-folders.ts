import { createReadStream } from 'node:fs'
import { readdir, readlink, realpath, stat } from 'node:fs/promises'
import { join, posix, relative, resolve } from 'node:path'
import type { Readable } from 'node:stream'

type File = { kind: 'file'; path: string; size: number }
type Link = { kind: 'link'; path: string; target: string }

/** Folders below one directory of this machine, to be looked at and never changed. */
export interface LocalFolders {
  /** null for what is not there, not a folder, or outside; nobody learns which. */
  open(path: string, signal: AbortSignal): Promise<LocalTree | null>
}

/** Too many files end the reading: `complete` is false then. */
type LocalTree = { entries: (File | Link)[]; complete: boolean; read(file: File): Promise<Readable> }

/** What is made again from the rest, and what is nobody's source. */
const SKIPPED = new Set(['.git', 'node_modules'])

export function localFolders(root: string, { most }: { most: number }): LocalFolders {
  return {
    async open(path, signal) {
      const folder = await realFolder(root, path)
      if (folder === null) return null
      const found: (File | Link)[] = []
      const waiting = ['']
      for (let here = waiting.shift(); here !== undefined && found.length < most; here = waiting.shift()) {
        signal.throwIfAborted()
        for (const entry of await readdir(join(folder, here), { withFileTypes: true })) {
          const name = posix.join(here, entry.name)
          if (entry.isDirectory()) {
            if (!SKIPPED.has(entry.name)) waiting.push(name)
          } else if (entry.isFile())
            found.push({ kind: 'file', path: name, size: (await stat(join(folder, name))).size })
          else if (entry.isSymbolicLink()) found.push(...(await linkAt(folder, name)))
        }
      }
      const complete = found.length < most
      // Links are listed as such, so nothing that is read leads anywhere else.
      return {
        entries: found.slice(0, most),
        complete,
        read: async (file) => createReadStream(join(folder, file.path)),
      }
    },
  }
}

/** The folder, if it is really below the root after every link. */
async function realFolder(root: string, path: string): Promise<string | null> {
  try {
    const base = await realpath(root)
    const folder = await realpath(resolve(base, path))
    const inside = folder === base || !relative(base, folder).startsWith('..')
    return inside && (await stat(folder)).isDirectory() ? folder : null
  } catch {
    return null
  }
}

/** A link that stays inside the folder; one that leaves it is as if it were not there. */
async function linkAt(folder: string, path: string): Promise<Link[]> {
  const target = await readlink(join(folder, path))
  const leads = posix.join(posix.dirname(path), target)
  return target.startsWith('/') || leads.startsWith('..') ? [] : [{ kind: 'link', path, target }]
}
