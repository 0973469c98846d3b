import { createHash } from 'node:crypto'
import { type BigIntStats, createReadStream } from 'node:fs'
import { lstat, readFile, readlink, rename, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { SourceEntry } from './source-tree.ts'

/** How an entry looked when it was written. Numbers as text: nanoseconds are too large for JSON's. */
export type FileRecord = { content: string; mode: number; mtime: string; ctime: string; ino: string; size: string }

/** Not trusted after a boot: what was written shortly before may be on disk with its size and without its content. */
export type Manifest = { trusted: boolean; files: Map<string, FileRecord> }

const VERSION = 1

export async function readManifest(path: string): Promise<Manifest> {
  try {
    const said = JSON.parse(await readFile(path, 'utf8'))
    if (said.version === VERSION) return { trusted: said.boot === (await bootId()), files: new Map(said.files) }
  } catch {
    // None yet, or one that was cut off: everything is written anew.
  }
  return { trusted: false, files: new Map() }
}

export async function writeManifest(path: string, temporary: string, files: Map<string, FileRecord>): Promise<void> {
  const text = JSON.stringify({ version: VERSION, boot: await bootId(), files: [...files] })
  await writeFile(temporary, text, { mode: 0o600 })
  await rename(temporary, path)
}

export function recordOf(entry: SourceEntry, { mtimeNs, ctimeNs, ino, size }: BigIntStats): FileRecord {
  const times = { mtime: String(mtimeNs), ctime: String(ctimeNs) }
  return { content: contentOf(entry), mode: modeOf(entry), ...times, ino: String(ino), size: String(size) }
}

/** The entry's new record when it is recorded as wanted and the file still looks like it, else null. */
export async function untouched(path: string, entry: SourceEntry, recorded: FileRecord, trusted: boolean) {
  if (recorded.content !== contentOf(entry) || recorded.mode !== modeOf(entry)) return null
  const found = await lstat(path, { bigint: true }).catch(() => null)
  if (found === null || (entry.kind === 'file') !== found.isFile()) return null
  const now = recordOf(entry, found)
  const same = now.mtime === recorded.mtime && now.size === recorded.size && now.ino === recorded.ino
  if (!same || (entry.kind === 'file' && Number(found.mode & 0o777n) !== recorded.mode)) return null
  // A change that put the mtime back, as archive tools do, still shows here.
  if (trusted && now.ctime === recorded.ctime) return now
  const intact = entry.kind === 'file' ? (await hashOf(path)) === entry.sha256 : (await readlink(path)) === entry.target
  return intact ? now : null
}

/** Set-user bits and the like have no place in a source. */
export function modeOf(entry: SourceEntry): number {
  return entry.kind === 'file' ? entry.mode & 0o777 : 0
}

function contentOf(entry: SourceEntry): string {
  return entry.kind === 'file' ? entry.sha256 : `link:${entry.target}`
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
}
