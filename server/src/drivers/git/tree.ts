import { createHash } from 'node:crypto'
import type { BlobPlace } from './blob-reader.ts'
import { visitBlobs } from './blobs.ts'
import type { TreeEntry } from './git.ts'
import { leavingLinks } from './links.ts'
import { type Listed, listCommit } from './listing.ts'
import type { Settings } from './settings.ts'

/**
 * The entries of a commit, and git's name for each content. Contents are named by SHA-256 as in uploaded folders, so
 * that a build knows a content again wherever it came from; that costs reading each once.
 */
export async function readTree(
  settings: Settings,
  directory: string,
  commitSha: string,
  signal: AbortSignal,
): Promise<{ entries: TreeEntry[]; objects: Map<string, BlobPlace> }> {
  const listing = await listCommit(settings, directory, commitSha, signal)
  const files = listing.entries.filter(({ kind }) => kind === 'file')
  const hashes = await hashesOf(settings, directory, files, signal)
  const targets = await targetsOf(settings, directory, listing.entries, signal)
  const leaving = leavingLinks(targets)
  const entries = listing.entries.flatMap(({ kind, path, size, mode, id }): TreeEntry[] => {
    const target = targets.get(path)
    if (target !== undefined) return leaving.has(path) ? [] : [{ kind: 'link', path, target }]
    return kind === 'file' ? [{ kind, path, size, mode, sha256: hashes.get(id) ?? '' }] : []
  })
  const objects = new Map(files.map(({ id, size }) => [hashes.get(id) ?? '', { id, size }]))
  return { entries, objects }
}

async function hashesOf(settings: Settings, directory: string, files: Listed[], signal: AbortSignal) {
  const hashes = new Map<string, string>()
  const visit = (id: string) => {
    const hash = createHash('sha256')
    return { piece: (bytes: Buffer) => hash.update(bytes), end: () => hashes.set(id, hash.digest('hex')) }
  }
  const ids = [...new Set(files.map(({ id }) => id))]
  await visitBlobs(settings, directory, ids, visit, signal)
  return hashes
}

/** A link's content is where it points to. Longer than a path can be means: nowhere. */
const MOST_TARGET = 4096

/** Where each link points to, by its path. */
export async function targetsOf(
  settings: Settings,
  directory: string,
  entries: Listed[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const links = entries.filter(({ kind }) => kind === 'link')
  const short = links.filter(({ size }) => size <= MOST_TARGET).map(({ id }) => id)
  const texts = await textsOf(settings, directory, [...new Set(short)], signal)
  return new Map(links.map(({ path, id }) => [path, texts.get(id) ?? '']))
}

/** Small objects whole, by their id. */
export async function textsOf(
  settings: Settings,
  directory: string,
  ids: string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const visit = (id: string) => {
    const pieces: Buffer[] = []
    // Copied: the reader uses its buffer again.
    return {
      piece: (bytes: Buffer) => pieces.push(Buffer.from(bytes)),
      end: () => texts.set(id, Buffer.concat(pieces).toString('utf8')),
    }
  }
  await visitBlobs(settings, directory, ids, visit, signal)
  return texts
}
