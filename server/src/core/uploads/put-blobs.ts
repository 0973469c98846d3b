import type { Readable } from 'node:stream'
import type { StoredBlob } from '../../drivers/blobs/blob-store.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import type { BaseParts } from '../parts.ts'
import { announcedBy } from './announced.ts'
import * as rows from './blobs-store.ts'
import { type FileEntry, fewAtOnce, keepEntry } from './keep-entry.ts'
import { quoted } from './paths.ts'
import { requireOpen } from './require-open.ts'
import * as store from './store.ts'
import { type TarEntry, untar } from './untar.ts'
import { within } from './within.ts'

type Parts = Pick<BaseParts, 'db' | 'blobs' | 'config'>

const AT_ONCE = 8
/** So many share a transaction. What is not in one yet is lost with the process, and sent again. */
const BATCH = 200

/** Takes many announced contents in one body. Of one that breaks off or turns out wrong, what came before stays. */
export async function putBlobs(parts: Parts, caller: Caller, id: string, body: Readable) {
  requireOpen(await store.find(parts.db, caller, id))
  const announced = await announcedBy(parts.db, caller.orgId, id)
  const arrived = new Set<string>()
  const writes = fewAtOnce(AT_ONCE)
  const shelf = shelve(parts, caller, id)

  async function keep({ path: sha256, size }: FileEntry, content: AsyncIterable<Uint8Array>): Promise<void> {
    const blob = await parts.blobs.write(caller.orgId, content, { maxBytes: size, size, sha256 })
    await shelf.add(blob)
  }

  try {
    for await (const entry of untar(body)) await keepEntry(writes, expected(entry, announced, arrived), keep)
    await writes.finish()
  } catch (error) {
    await writes.finish().catch(() => {})
    await shelf.close()
    throw error
  }
  await shelf.close()
  return { success: true as const, received: arrived.size }
}

/** One that was announced, in its size, for the first time: so no body is longer than what its session announced. */
function expected(entry: TarEntry, announced: ReadonlyMap<string, number>, arrived: Set<string>): FileEntry {
  const { path } = entry
  const size = announced.get(path)
  if (entry.kind !== 'file' || size === undefined) throw notFound('blob')
  if (arrived.has(path)) throw new Refusal('invalid_archive', `The entry ${quoted(path)} appears twice.`)
  if (entry.size !== size)
    throw new Refusal('hash_mismatch', `${quoted(path)} has ${entry.size} bytes, announced were ${size}.`, {
      hint: 'The file changed or was damaged on its way; read it again and announce it under its own hash.',
    })
  arrived.add(path)
  return entry
}

/** Writes rows for what is on disk, many at a time. Only the row makes a content exist. */
function shelve(parts: Parts, caller: Caller, id: string) {
  const { db, blobs } = parts
  let waiting: StoredBlob[] = []

  async function flush(): Promise<void> {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    const { kept } = await within(parts, caller, batch, async (tx) => ({
      kept: (await store.holdOpen(tx, caller, id)) ? await rows.insertAll(tx, caller, batch) : null,
    }))
    for (const { location } of batch) if (!kept?.has(location)) await blobs.remove(location)
    if (kept === null) requireOpen(await store.find(db, caller, id))
  }

  return {
    async add(blob: StoredBlob): Promise<void> {
      waiting.push(blob)
      if (waiting.length >= BATCH) await flush()
    },
    close: flush,
  }
}
