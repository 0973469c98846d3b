import { transaction } from '../../db/database.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import * as blobs from './blobs-store.ts'
import { checkSizes, contentsOf } from './folder.ts'
import { requireUnexpired } from './require-open.ts'
import * as store from './store.ts'
import { SEALED_HOURS, view } from './view.ts'

const MOST_LISTED = 1000

/** Declares a folder complete. Sealing what is sealed changes nothing. */
export async function sealSession({ db, config }: Pick<BaseParts, 'db' | 'config'>, caller: Caller, id: string) {
  return transaction(db, async (tx) => {
    const session = await store.lock(tx, caller, id)
    if (!session) throw notFound('folder session')
    if (session.sealedAt) return view(session, [], config.upload)
    requireUnexpired(session)

    const files = await store.filesOf(tx, caller.orgId, id)
    const hashes = [...contentsOf(files).keys()]
    const present = await blobs.hold(tx, caller, hashes)
    requireAll(hashes.filter((hash) => !present.has(hash)))
    checkSizes(files, present)

    const sealed = await store.setSealed(tx, caller.orgId, id, SEALED_HOURS)
    await record(tx, caller, 'folder_session.seal', id, { files: session.fileCount, bytes: Number(session.byteCount) })
    return view({ ...session, ...sealed }, [], config.upload)
  })
}

function requireAll(missing: string[]): void {
  if (missing.length === 0) return
  throw new Refusal('blobs_missing', `${missing.length} of the announced contents have not arrived.`, {
    missing: missing.slice(0, MOST_LISTED),
    hint: 'Upload what is listed under `missing` and seal again.',
  })
}
