import { randomBytes } from 'node:crypto'
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, symlink, utimes } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { type FileRecord, type Manifest, readManifest, recordOf, untouched, writeManifest } from './context/manifest.ts'
import { receive } from './context/receive.ts'
import type { SourceEntry, SourceTree } from './context/source-tree.ts'
import { clearSurplus } from './context/surplus.ts'
import { wantedPaths } from './context/wanted-paths.ts'
import { lives, self } from './owner.ts'

export type SyncReport = { written: number; kept: number; removed: number }

/**
 * Makes a directory equal to a source tree. BuildKit resends what differs in size or mtime, so an unchanged file is not
 * touched and a changed one always gets an mtime it did not have before. What was written is recorded beside the directory,
 * and believed only as far as the files still look like it: killed at any point, the next call puts everything right.
 * One call at a time per directory counts; one that has lost its turn disturbs as little as it can.
 */
export async function syncContext(directory: string, tree: SourceTree, signal: AbortSignal): Promise<SyncReport> {
  if (!isAbsolute(directory)) throw new Error('the context directory must be absolute')
  const wanted = wantedPaths(tree.entries)
  const parent = dirname(directory)
  const recordFile = join(parent, `.${basename(directory)}.manifest`)
  await mkdir(parent, { recursive: true })
  await clearUnfinished(parent, basename(directory))
  // Of its own: a caller that was stopped for long may not know that another has taken its place.
  const unfinished = await mkdtemp(join(parent, `.${basename(directory)}.unfinished-${self()}-`))
  await mkdir(directory, { recursive: true })
  // Whatever the umask: COPY takes the modes of directories over into the image.
  await chmod(directory, 0o755)
  try {
    const before = await readManifest(recordFile)
    const removed = await clearSurplus(directory, wanted, signal)
    const sync = { directory, unfinished, tree, before, signal, after: new Map<string, FileRecord>(), written: 0 }
    await makeDirectories(directory, wanted.directories)
    await inParallel(tree.entries, (entry) => syncEntry(sync, entry), signal)
    await writeManifest(recordFile, join(unfinished, 'manifest'), sync.after)
    return { written: sync.written, kept: tree.entries.length - sync.written, removed }
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** What calls of processes that died have left. */
async function clearUnfinished(parent: string, name: string): Promise<void> {
  const prefix = `.${name}.unfinished-`
  const left = (await readdir(parent)).filter((entry) => entry.startsWith(prefix))
  const dead = left.filter((entry) => !lives(entry.slice(prefix.length).split('-')[0] ?? ''))
  for (const entry of dead) await rm(join(parent, entry), { recursive: true, force: true })
}

type Sync = {
  directory: string
  unfinished: string
  tree: SourceTree
  before: Manifest
  after: Map<string, FileRecord>
  written: number
  signal: AbortSignal
}

async function syncEntry(sync: Sync, entry: SourceEntry): Promise<void> {
  const path = join(sync.directory, entry.path)
  const recorded = sync.before.files.get(entry.path)
  const kept = recorded && (await untouched(path, entry, recorded, sync.before.trusted))
  if (kept) {
    sync.after.set(entry.path, kept)
    return
  }
  const temporary = join(sync.unfinished, randomBytes(12).toString('hex'))
  if (entry.kind === 'link') await symlink(entry.target, temporary)
  else await receive(await sync.tree.read(entry), temporary, entry, sync.signal)
  if (entry.kind === 'file') await renew(temporary, recorded)
  await rename(temporary, path)
  sync.after.set(entry.path, recordOf(entry, await lstat(path, { bigint: true })))
  sync.written++
}

/** The clock of a file system ticks every few milliseconds: two contents of one size could get the same mtime. */
async function renew(path: string, recorded: FileRecord | undefined): Promise<void> {
  const { mtimeNs } = await lstat(path, { bigint: true })
  if (recorded === undefined || mtimeNs > BigInt(recorded.mtime)) return
  const later = Number(BigInt(recorded.mtime) / 1_000_000n + 2n) / 1000
  await utimes(path, later, later)
}

async function makeDirectories(directory: string, paths: Set<string>): Promise<void> {
  for (const path of [...paths].sort()) {
    await mkdir(join(directory, path)).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
    await chmod(join(directory, path), 0o755)
  }
}

const AT_ONCE = 8

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>, signal: AbortSignal): Promise<void> {
  const waiting = items.values()
  const failed = new AbortController()
  const worker = async () => {
    for (const item of waiting) {
      signal.throwIfAborted()
      if (failed.signal.aborted) return
      await work(item)
    }
  }
  const workers = Array.from({ length: AT_ONCE }, () =>
    worker().catch((error) => {
      failed.abort()
      throw error
    }),
  )
  // All of them, before the folder they write into is removed.
  const outcomes = await Promise.allSettled(workers)
  const first = outcomes.find((outcome) => outcome.status === 'rejected')
  if (first) throw first.reason
}
