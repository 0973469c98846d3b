import { notFound } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import type { BaseParts } from '../parts.ts'
import { announcedBy } from './announced.ts'
import * as blobs from './blobs-store.ts'
import * as store from './store.ts'
import { view } from './view.ts'

/** What an upload still lacks: how one that was cut off is resumed. */
export async function showSession({ db, config }: Pick<BaseParts, 'db' | 'config'>, caller: Caller, id: string) {
  const session = await store.find(db, caller, id)
  if (!session) throw notFound('folder session')
  return view(session, session.sealedAt ? [] : await missingOf(db, caller, id), config.upload)
}

async function missingOf(db: BaseParts['db'], caller: Caller, id: string): Promise<string[]> {
  const hashes = [...(await announcedBy(db, caller.orgId, id)).keys()]
  const present = await blobs.present(db, caller, hashes)
  return hashes.filter((hash) => !present.has(hash))
}
