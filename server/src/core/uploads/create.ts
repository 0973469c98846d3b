import type { FolderFile } from '@slipway/contract/folder-sessions'
import { transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { StoredFile } from '../../db/tables.ts'
import type { Caller } from '../access/caller.ts'
import type { Links } from '../access/links.ts'
import { record } from '../audit/record.ts'
import { requireRoom } from '../limits/require-room.ts'
import type { BaseParts } from '../parts.ts'
import * as blobs from './blobs-store.ts'
import { checkFolder, checkSizes, contentsOf } from './folder.ts'
import { modeOf, type SessionMode } from './mode.ts'
import * as store from './store.ts'
import { type Limits, tally } from './tally.ts'
import { OPEN_HOURS, view } from './view.ts'

/** Begins a folder upload: the files are announced, and the answer says which contents are missing here. */
export async function createSession(
  { db, config, links }: Pick<BaseParts, 'db' | 'config'> & { links: Links },
  caller: Caller,
  input: { files: FolderFile[]; mode?: SessionMode | undefined },
) {
  const mode = await modeOf({ db, config, links }, caller, input.mode)
  const files = input.files.map(stored)
  const { files: fileCount, bytes: byteCount } = counted(files, config.upload)
  checkFolder(files)
  const contents = contentsOf(files)
  const session = { id: newId('upl'), mode, fileCount, byteCount, sealedAt: null }
  return transaction(db, async (tx) => {
    // Only this organization's, and for a credential of one project only that one's: that another has a content must
    // neither show nor help, since whoever knows its hash could have it built and read it.
    const present = await blobs.touch(tx, caller, contents.keys())
    checkSizes(files, present)
    const missing = [...contents.keys()].filter((hash) => !present.has(hash))
    // By what is shown to the caller, also where the organization has more: a refusal must not tell that either.
    const coming = missing.reduce((sum, hash) => sum + (contents.get(hash) ?? 0), 0)
    await requireRoom({ config }, tx, caller.orgId, 'uploadBytes', { coming })
    const { orgId, projectId } = caller
    const row = { ...session, orgId, projectId, files: JSON.stringify(files) }
    const expiresAt = await store.insert(tx, row, OPEN_HOURS)
    await record(tx, caller, 'folder_session.create', session.id, { files: fileCount, bytes: byteCount })
    return view({ ...session, expiresAt }, missing, config.upload)
  })
}

const stored = (file: FolderFile): StoredFile =>
  'link' in file ? { p: file.path, l: file.link } : { p: file.path, h: file.sha256, s: file.size, m: file.mode }

function counted(files: StoredFile[], limits: Limits) {
  const count = tally(limits)
  for (const file of files) count.add(file.p, 'l' in file ? 0 : file.s)
  return count
}
