import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { isFailure } from '../../../errors.ts'
import { checkKey, checkPrefix, folderOf, unfinishedBeside } from '../keys.ts'
import {
  type ListOptions,
  type PutOptions,
  type PutResult,
  type Storage,
  type StorageFailure,
  type StorageFailureCode,
  type StorageOptions,
  type StoragePage,
  type StoredObject,
  storageFailure,
} from '../storage.ts'
import { forget, incoming, inPieces, progressOf, readable, SourceFailed } from '../stream.ts'
import type { FileTree, Limits } from './tree.ts'
import { leftovers, walk } from './walk.ts'

/** For tidying up after something that was interrupted, whose own signal may be aborted by then. */
const TIDY_MS = 5_000
const TRY_AGAIN_MS = 250
const passing = new Set<StorageFailureCode>(['connection_lost', 'unreachable', 'timeout'])
const AT_ONCE = 16
const PAGE = 1_000

/** Objects as files: written aside, brought to the disk, then renamed. */
export function fileStorage(tree: FileTree): Storage {
  const explained = async <T>(what: string, { signal }: StorageOptions, work: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted()
    setMaxListeners(0, signal)
    try {
      return await work()
    } catch (error) {
      throw signal.aborted ? signal.reason : await tree.explain(error, what)
    }
  }
  const remove = (key: string, options: StorageOptions) =>
    explained(`delete ${key}`, options, async () => {
      checkKey(key)
      if (await tree.remove(key, options)) await prune(tree, key, options)
    })
  return {
    async put(key, source, options) {
      options.signal.throwIfAborted()
      setMaxListeners(0, options.signal)
      checkKey(key)
      return put(tree, key, source, options)
    },
    get: (key, options) =>
      explained(`read ${key}`, options, async () => {
        checkKey(key)
        const source = await tree.read(key, options.range ?? { from: 0 }, options)
        const explain = (error: unknown) => tree.explain(error, `read ${key}`)
        return readable(source, { ...options, what: key, buffers: tree.buffers, newSum: tree.newSum, explain })
      }),
    stat: (key, options) =>
      explained(`look at ${key}`, options, async () => {
        checkKey(key)
        return tree.stat(key, options)
      }),
    list: listing(tree, explained),
    delete: remove,
    async deleteMany(keys, options) {
      for (let at = 0; at < keys.length; at += AT_ONCE) {
        await Promise.all(keys.slice(at, at + AT_ONCE).map((key) => remove(key, options)))
      }
    },
    sweep: (options) =>
      explained('look for unfinished files', options, async () => {
        let swept = 0
        for await (const path of leftovers(tree, options.olderThan, options)) {
          if (await tree.remove(path, options)) swept += 1
          await prune(tree, path, options)
        }
        return swept
      }),
    close: () => tree.close(),
  }
}

async function put(
  tree: FileTree,
  key: string,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<PutResult> {
  const part = unfinishedBeside(key)
  const done: { result?: PutResult; renaming: boolean } = { renaming: false }
  try {
    const result = await write(tree, part, source, options)
    done.result = result
    options.signal.throwIfAborted()
    done.renaming = true
    await tree.rename(part, key, options)
    return result
  } catch (error) {
    // Its words first: they may depend on what is there now.
    const words = error instanceof SourceFailed ? error.cause : await tree.explain(error, `write ${key}`)
    const kept = await tidy(tree, part, key, done.renaming ? done.result : undefined)
    if (kept) return kept
    throw options.signal.aborted ? options.signal.reason : words
  }
}

async function write(
  tree: FileTree,
  part: string,
  source: AsyncIterable<Uint8Array>,
  { signal, onProgress }: PutOptions,
): Promise<PutResult> {
  const sink = await tree.create(part, { signal })
  const sum = tree.newSum()
  const progress = progressOf(onProgress)
  let bytes = 0
  try {
    for await (const piece of inPieces(incoming(source, signal), tree.pieceBytes)) {
      // The sum is made while the piece is on its way.
      const written = sink.write(piece)
      written.catch(() => {})
      await sum.add(piece)
      bytes += piece.length
      await written
      progress.now(sink.written())
      forget(piece.length, tree.buffers)
    }
    await sink.finish()
  } catch (error) {
    sum.end()
    await sink.abandon()
    throw error
  }
  const sha256 = await sum.digest()
  const stored = await tree.stat(part, { signal })
  if (stored?.bytes !== bytes) {
    throw storageFailure('corrupted', `${bytes} bytes were written, but ${stored?.bytes ?? 0} arrived.`)
  }
  progress.end(bytes)
  return { bytes, sha256 }
}

/**
 * Leaves nothing half-written. Where the last step was under way, it may have been taken although nobody heard of it: when the
 * unfinished file is gone and the object is there, all of it was stored after all.
 */
async function tidy(tree: FileTree, part: string, key: string, result: PutResult | undefined) {
  const limits = { signal: AbortSignal.timeout(TIDY_MS) }
  // A connection that broke may be back in a moment. What is left after that, `sweep` finds.
  while (!limits.signal.aborted) {
    try {
      const wasThere = await tree.remove(part, limits)
      if (!wasThere && result && (await tree.stat(key, limits))?.bytes === result.bytes) return result
      await prune(tree, key, limits)
      return undefined
    } catch (error) {
      const words = await tree.explain(error, 'tidy up')
      if (!isFailure<StorageFailure>(words, 'storage') || !passing.has(words.code)) return undefined
      await delay(TRY_AGAIN_MS, undefined, { signal: limits.signal }).catch(() => {})
    }
  }
  return undefined
}

/** Folders exist for the files in them: whoever takes the last one takes the folder too. */
async function prune(tree: FileTree, path: string, limits: Limits): Promise<void> {
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder.slice(0, -1))) {
    if (!(await tree.removeFolder(folder.slice(0, -1), limits))) return
  }
}

type Explained = <T>(what: string, options: StorageOptions, work: () => Promise<T>) => Promise<T>

/** A page ends where the next begins: whoever asks for the next one goes on with the same walk. */
function listing(tree: FileTree, explained: Explained): Storage['list'] {
  let held: { prefix: string; cursor: string; walk: AsyncGenerator<StoredObject>; limits: Limits } | undefined
  return (prefix, options: ListOptions) =>
    explained(`list ${prefix}`, options, async () => {
      checkPrefix(prefix)
      const after = options.cursor ?? ''
      const goesOn = held !== undefined && after !== '' && held.prefix === prefix && held.cursor === after
      const limits = goesOn && held ? held.limits : { signal: options.signal }
      limits.signal = options.signal
      const objects = goesOn && held ? held.walk : walk(tree, { prefix, after }, limits)
      held = undefined
      const page: StoragePage = { objects: [], cursor: null }
      const limit = Math.min(Math.max(options.limit ?? PAGE, 1), PAGE)
      while (page.objects.length < limit) {
        const next = await objects.next()
        if (next.done) return page
        page.objects.push(next.value)
      }
      page.cursor = page.objects.at(-1)?.key ?? null
      if (page.cursor !== null) held = { prefix, cursor: page.cursor, walk: objects, limits }
      return page
    })
}
