import { once } from 'node:events'
import { Readable } from 'node:stream'
import { answers } from './blobs.ts'
import { gitEnvironment } from './environment.ts'
import type { SourceTree } from './git.ts'
import { endGit, type GitChild, startGit } from './run.ts'
import type { Settings } from './settings.ts'

/** git's name for a content, and how large it is. */
export type BlobPlace = { id: string; size: number }

/** Larger ones are streamed by a process of their own; for the many small ones that would cost more than reading. */
const MOST_AT_ONCE = 1_000_000
const IDLE_MS = 1000

type Waiting = { id: string; resolve(bytes: Buffer): void; reject(error: Error): void }
type Batch = { child: GitChild; waiting: Waiting[]; idle?: NodeJS.Timeout }

/** Reads contents by their SHA-256. One process serves small ones and ends by itself when nobody has asked for a while. */
export function blobReader(
  { environment }: Settings,
  directory: string,
  places: ReadonlyMap<string, BlobPlace>,
): SourceTree['read'] {
  const start = (...args: string[]) => {
    const child = startGit([`--git-dir=${directory}`, 'cat-file', ...args], gitEnvironment(environment))
    child.stdin.on('error', () => {})
    child.stderr.resume()
    return child
  }
  let batch: Batch | undefined

  function whole(id: string): Promise<Buffer> {
    batch ??= openBatch(start('--batch'), (ended) => {
      if (batch === ended) batch = undefined
    })
    const { child, waiting, idle } = batch
    clearTimeout(idle)
    return new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject })
      child.stdin.write(`${id}\n`)
    })
  }

  return async ({ path, sha256 }) => {
    const place = places.get(sha256)
    if (!place) throw new Error(`${path} is not in this tree`)
    if (place.size > MOST_AT_ONCE) return stream(start('blob', place.id), path)
    return Readable.from([await whole(place.id)], { objectMode: false })
  }
}

function openBatch(child: GitChild, onEnd: (batch: Batch) => void): Batch {
  const batch: Batch = { child, waiting: [] }
  const visit = (id: string) => {
    const pieces: Buffer[] = []
    return {
      piece: (bytes: Buffer) => pieces.push(bytes),
      end: () => {
        const asked = batch.waiting.shift()
        if (asked?.id === id) asked.resolve(Buffer.concat(pieces))
        else asked?.reject(new Error('git answered another question'))
      },
    }
  }
  const serve = async () => {
    for await (const _ of answers(child.stdout, visit)) {
      if (batch.waiting.length > 0) continue
      batch.idle = setTimeout(() => {
        onEnd(batch)
        child.stdin.end()
      }, IDLE_MS)
    }
    throw new Error('git ended')
  }
  serve().catch((error: Error) => {
    onEnd(batch)
    endGit(child)
    for (const { reject } of batch.waiting.splice(0)) reject(error)
  })
  return batch
}

function stream(child: GitChild, path: string): Readable {
  const ended = once(child, 'close')
  ended.catch(() => {})
  child.stdin.end()
  async function* bytes(): AsyncGenerator<Buffer> {
    yield* child.stdout
    const [code] = await ended
    if (code !== 0) throw new Error(`git could not read ${path}`)
  }
  // A reader who turns away, even before the first byte, ends it as well.
  return Readable.from(bytes(), { objectMode: false }).once('close', () => endGit(child))
}
