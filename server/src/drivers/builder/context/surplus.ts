import { readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Wanted } from './wanted-paths.ts'

/** Removes all that is not wanted, or of another kind than wanted; answers with their number. Follows no link. */
export async function clearSurplus(root: string, wanted: Wanted, signal: AbortSignal): Promise<number> {
  let removed = 0
  const waiting = ['']
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    signal.throwIfAborted()
    for (const found of await readdir(join(root, directory), { withFileTypes: true })) {
      const path = directory === '' ? found.name : `${directory}/${found.name}`
      if (found.isDirectory()) {
        if (wanted.directories.has(path)) waiting.push(path)
        else removed += await removeAll(join(root, path))
        continue
      }
      const kind = wanted.entries.get(path)?.kind
      if ((kind === 'file' && found.isFile()) || (kind === 'link' && found.isSymbolicLink())) continue
      await unlink(join(root, path))
      removed++
    }
  }
  return removed
}

async function removeAll(directory: string): Promise<number> {
  await rm(directory, { recursive: true, force: true })
  return 1
}
