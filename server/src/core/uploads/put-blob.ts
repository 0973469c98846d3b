import type { Readable } from 'node:stream'
import { notFound } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import type { BaseParts } from '../parts.ts'
import { announcedBy } from './announced.ts'
import * as rows from './blobs-store.ts'
import { receive } from './receive.ts'
import { requireOpen } from './require-open.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'blobs'>

/** Takes one announced content. Sending it again is fine, and when it is here already its bytes are not read. */
export async function putBlob({ db, blobs }: Parts, caller: Caller, id: string, hash: string, body: Readable) {
  const session = await store.findFor(db, caller, id, hash)
  requireOpen(session)
  const size = (await announcedBy(db, caller.orgId, id)).get(hash)
  if (size === undefined) throw notFound('blob')
  if (session?.stored) return answer(false)

  const stored = await blobs.write(caller.orgId, receive(body), { maxBytes: size, size, sha256: hash })
  // When this fails it may still have happened: the file stays, and is swept when no row turns out to name it.
  const location = await rows.insertFor(db, caller, id, stored)
  if (location === stored.location) return answer(true)
  await blobs.remove(stored.location)
  if (location === null) requireOpen(await store.find(db, caller, id))
  // A credential of one project does not learn that the organization had it already.
  return answer(location !== null && caller.projectId !== null)
}

const answer = (stored: boolean) => ({ success: true as const, stored })
