import { byBytes, folderOf, isKey, isUnfinished } from '../keys.ts'
import type { StoredObject } from '../storage.ts'
import type { FileEntry, FileTree, Limits } from './tree.ts'

/** So many names of one folder are held at once; a larger folder is read several times. */
const HELD = 20_000
const LOOKED_AT = 64

/** Sorted with its slash, because that is where the keys below it belong. */
const sortName = ({ kind, name }: FileEntry) => (kind === 'folder' ? `${name}/` : name)

/** Every object whose key starts with `prefix` and comes after `after`, in the order of the keys' bytes. */
export async function* walk(
  tree: FileTree,
  { prefix, after }: { prefix: string; after: string },
  limits: Limits,
): AsyncGenerator<StoredObject> {
  yield* walkFolder(tree, folderOf(prefix), { prefix, after }, limits)
}

type Bounds = { prefix: string; after: string }

async function* walkFolder(
  tree: FileTree,
  folder: string,
  bounds: Bounds,
  limits: Limits,
): AsyncGenerator<StoredObject> {
  const { prefix } = bounds
  // A folder whose keys lie partly before `after` has to be entered again.
  const wanted = (key: string, kind: FileEntry['kind']) =>
    (key.startsWith(prefix) || (kind === 'folder' && prefix.startsWith(key))) &&
    (byBytes(key, bounds.after) > 0 || (kind === 'folder' && bounds.after.startsWith(key)))
  for (let last = '', full = true; full; ) {
    const names = await smallest(tree, folder, { after: last, wanted }, limits)
    full = names.length === HELD
    for (let at = 0; at < names.length; at += LOOKED_AT) {
      const some = names.slice(at, at + LOOKED_AT)
      const found = await Promise.all(some.map((entry) => look(tree, folder, entry, limits)))
      for (const [index, entry] of some.entries()) {
        last = sortName(entry)
        if (entry.kind === 'folder') yield* walkFolder(tree, folder + last, bounds, limits)
        const file = found[index]
        if (file) yield { key: folder + last, ...file }
      }
    }
  }
}

/** What is gone since its folder was read is as if it had never been there. */
async function look(tree: FileTree, folder: string, { kind, name, found }: FileEntry, limits: Limits) {
  const key = folder + name
  return kind === 'file' && isKey(key) ? (found ?? (await tree.stat(key, limits))) : null
}

type Choice = { after: string; wanted(key: string, kind: FileEntry['kind']): boolean }

/** The first names of a folder, without ever holding more than twice as many. */
async function smallest(tree: FileTree, folder: string, choice: Choice, limits: Limits): Promise<FileEntry[]> {
  let held: FileEntry[] = []
  let highest: string | undefined
  const shrink = () => {
    held.sort((a, b) => byBytes(sortName(a), sortName(b)))
    held = held.slice(0, HELD)
    const last = held.length === HELD ? held.at(-1) : undefined
    highest = last && sortName(last)
  }
  for await (const entry of tree.entries(folder, limits)) {
    limits.signal.throwIfAborted()
    const name = sortName(entry)
    if (entry.kind === 'other' || isUnfinished(entry.name)) continue
    if (byBytes(name, choice.after) <= 0 || !choice.wanted(folder + name, entry.kind)) continue
    if (highest !== undefined && byBytes(name, highest) >= 0) continue
    held.push(entry)
    if (held.length >= HELD * 2) shrink()
  }
  shrink()
  return held
}

/** Every unfinished file below the top that nobody has written to since. */
export async function* leftovers(tree: FileTree, olderThan: Date, limits: Limits): AsyncGenerator<string> {
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of tree.entries(folder, limits)) {
      limits.signal.throwIfAborted()
      if (entry.kind === 'folder') folders.push(`${folder}${entry.name}/`)
      else if (entry.kind === 'file' && isUnfinished(entry.name)) {
        const path = folder + entry.name
        const found = entry.found ?? (await tree.stat(path, limits))
        if (found && found.modifiedAt < olderThan) yield path
      }
    }
  }
}
