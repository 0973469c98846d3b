import type { Readable } from 'node:stream'
import type { Queryable } from '../../db/database.ts'
import type { StoredBlob } from '../../drivers/blobs/blob-store.ts'
import { notFound } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { mostOf } from '../limits/most.ts'
import type { BaseParts } from '../parts.ts'
import { announcedBy } from './announced.ts'
import * as rows from './blobs-store.ts'
import { receive } from './receive.ts'
import { requireOpen } from './require-open.ts'
import * as store from './store.ts'
import { within } from './within.ts'

type Parts = Pick<BaseParts, 'db' | 'blobs' | 'config'>

/** Takes one announced content. Sending it again is fine, and when it is here already its bytes are not read. */
export async function putBlob(parts: Parts, caller: Caller, id: string, hash: string, body: Readable) {
  const { db, blobs } = parts
  const session = await store.findFor(db, caller, id, hash)
  requireOpen(session)
  const size = (await announcedBy(db, caller.orgId, id)).get(hash)
  if (size === undefined) throw notFound('blob')
  if (session?.stored) return answer(false)

  const stored = await blobs.write(caller.orgId, receive(body), { maxBytes: size, size, sha256: hash })
  const kept = await keep(parts, caller, id, stored)
  if (kept?.has(stored.location)) return answer(true)
  await blobs.remove(stored.location)
  if (kept === null) requireOpen(await store.find(db, caller, id))
  // A credential of one project does not learn that the organization had it already.
  return answer(kept !== null && caller.projectId !== null)
}

/** Where it lies now; null where the session takes nothing any more. Without a limit it is one statement. */
async function keep(parts: Parts, caller: Caller, id: string, stored: StoredBlob): Promise<Set<string> | null> {
  const insert = async (db: Queryable) => {
    const location = await rows.insertFor(db, caller, id, stored)
    return { kept: location === null ? null : new Set([location]) }
  }
  const most = await mostOf(parts, parts.db, caller.orgId, 'uploadBytes')
  // When this fails it may still have happened: the file stays, and is swept when no row turns out to name it.
  const { kept } = most === null ? await insert(parts.db) : await within(parts, caller, [stored], insert)
  return kept
}

const answer = (stored: boolean) => ({ success: true as const, stored })
