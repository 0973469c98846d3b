import type { Dirent } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export const LOCATION = /^org_[0-9a-z]{20,40}\/[0-9a-f]{2}\/[0-9a-f]{64}\.[0-9a-f]{16}$/
const BATCH = 500

/** Locations of the files that are older than this. Other processes come and go meanwhile: what vanishes is skipped. */
export async function* listFiles(root: string, milliseconds: number): AsyncGenerator<string[]> {
  const before = Date.now() - milliseconds
  let batch: string[] = []
  for (const organization of await directoriesIn(root)) {
    for (const shard of await directoriesIn(join(root, organization))) {
      for (const file of await readdir(join(root, organization, shard)).catch(() => [])) {
        const location = `${organization}/${shard}/${file}`
        if (!LOCATION.test(location) || !(await isOlder(join(root, location), before))) continue
        batch.push(location)
        if (batch.length < BATCH) continue
        yield batch
        batch = []
      }
    }
  }
  if (batch.length > 0) yield batch
}

export async function removeFilesOlderThan(directory: string, milliseconds: number): Promise<number> {
  const before = Date.now() - milliseconds
  let removed = 0
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name)
    if (!(await isOlder(path, before))) continue
    await rm(path, { force: true })
    removed += 1
  }
  return removed
}

async function directoriesIn(path: string): Promise<string[]> {
  const entries: Dirent[] = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

async function isOlder(path: string, before: number): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found !== null && found.mtimeMs < before
}
