import type { SourceEntry } from './source-tree.ts'

export type Wanted = { entries: Map<string, SourceEntry>; directories: Set<string> }

/** The paths of a tree and the directories they need. Throws for a path that leads elsewhere, or through another entry. */
export function wantedPaths(entries: SourceEntry[]): Wanted {
  const wanted: Wanted = { entries: new Map(), directories: new Set() }
  for (const entry of entries) {
    const parts = entry.path.split('/')
    const strange = parts.some((part) => part === '' || part === '.' || part === '..')
    if (strange || entry.path.includes('\0')) throw new Error(`the path ${JSON.stringify(entry.path)} leads elsewhere`)
    if (wanted.entries.has(entry.path)) throw new Error(`the path ${entry.path} is there twice`)
    wanted.entries.set(entry.path, entry)
    for (let n = 1; n < parts.length; n++) wanted.directories.add(parts.slice(0, n).join('/'))
  }
  for (const directory of wanted.directories) {
    // Above all a link: writing below it would write wherever it points to.
    if (wanted.entries.has(directory))
      throw new Error(`the path ${directory} is a directory and a ${kindOf(directory)}`)
  }
  return wanted

  function kindOf(path: string) {
    return wanted.entries.get(path)?.kind
  }
}
