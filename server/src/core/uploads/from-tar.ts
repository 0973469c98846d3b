import type { Readable } from 'node:stream'
import { newId } from '../../db/ids.ts'
import type { StoredFile } from '../../db/tables.ts'
import type { StoredBlob } from '../../drivers/blobs/blob-store.ts'
import { Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import type { Links } from '../access/links.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import * as rows from './blobs-store.ts'
import { checkFolder } from './folder.ts'
import { type FileEntry, fewAtOnce, keepEntry } from './keep-entry.ts'
import { modeOf, type SessionMode } from './mode.ts'
import { checkPath } from './paths.ts'
import * as store from './store.ts'
import { type Tally, tally } from './tally.ts'
import { type TarEntry, untar } from './untar.ts'
import { SEALED_HOURS, view } from './view.ts'
import { within } from './within.ts'

type Parts = Pick<BaseParts, 'db' | 'blobs' | 'config'>

const AT_ONCE = 8

/** A whole folder in one request: unpacked as it streams in, and sealed at once. */
export async function createFromTar(
  { db, blobs, config, links }: Parts & { links: Links },
  caller: Caller,
  body: Readable,
  wanted?: SessionMode,
) {
  const mode = await modeOf({ db, config, links }, caller, wanted)
  const { files, written, count } = await unpack({ blobs, config }, caller.orgId, body)
  const session = {
    id: newId('upl'),
    mode,
    fileCount: count.files,
    byteCount: count.bytes,
    sealedAt: new Date(),
  }
  const { orgId, projectId } = caller
  const { kept, expiresAt } = await within({ db, blobs, config }, caller, written, async (tx) => {
    const kept = await rows.insertAll(tx, { orgId, projectId }, written)
    const row = { ...session, orgId, projectId, files: JSON.stringify(files) }
    const expiresAt = await store.insert(tx, row, SEALED_HOURS)
    const detail = { files: count.files, bytes: count.bytes, archive: true }
    await record(tx, caller, 'folder_session.create', session.id, detail)
    return { kept, expiresAt }
  })
  await removeAll(
    blobs,
    written.filter((blob) => !kept.has(blob.location)),
  )
  return view({ ...session, expiresAt }, [], config.upload)
}

/** Nothing of it is visible until the rows are written; when it fails, its files are removed. */
async function unpack({ blobs, config }: Omit<Parts, 'db'>, orgId: string, body: Readable) {
  const count = tally(config.upload)
  const directories = tally(config.upload)
  const files: StoredFile[] = []
  const written = new Map<string, StoredBlob>()
  const writes = fewAtOnce(AT_ONCE)

  async function keep(entry: FileEntry, content: AsyncIterable<Uint8Array>): Promise<void> {
    const blob = await blobs.write(orgId, content, { maxBytes: config.upload.fileBytes, size: entry.size })
    files.push({ p: entry.path, h: blob.sha256, s: blob.size, m: entry.mode })
    if (written.has(blob.sha256)) await blobs.remove(blob.location)
    else written.set(blob.sha256, blob)
  }

  try {
    for await (const entry of untar(body)) {
      check(entry, entry.kind === 'directory' ? directories : count)
      if (entry.kind === 'link') files.push({ p: entry.path, l: entry.target })
      if (entry.kind === 'file') await keepEntry(writes, entry, keep)
    }
    await writes.finish()
    checkComplete(files)
    return { files, written: [...written.values()], count }
  } catch (error) {
    await writes.finish().catch(() => {})
    await removeAll(blobs, [...written.values()])
    throw error
  }
}

/** Bad names and sizes are refused as they come, not after gigabytes. */
function check(entry: TarEntry, count: Tally): void {
  count.add(entry.path, entry.kind === 'file' ? entry.size : 0)
  if (entry.kind !== 'directory' || entry.path !== '') checkPath(entry.path)
}

function checkComplete(files: StoredFile[]): void {
  if (files.length === 0) throw new Refusal('invalid_archive', 'The archive contains no files.')
  files.sort((a, b) => (a.p < b.p ? -1 : 1))
  checkFolder(files)
}

async function removeAll(blobs: BaseParts['blobs'], unwanted: StoredBlob[]): Promise<void> {
  for (const blob of unwanted) await blobs.remove(blob.location)
}
