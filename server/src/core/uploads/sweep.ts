import type { Instance } from '../instance/guard.ts'
import type { BaseParts } from '../parts.ts'
import { knownLocations } from './blobs-store.ts'
import { deleteExpired } from './store.ts'
import * as store from './sweep-store.ts'

type Parts = Pick<BaseParts, 'db' | 'blobs'> & { instance: Instance }
export type Swept = { sessions: number; blobs: number }

const HOUR = 3600 * 1000
const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * 60
const SESSIONS = 100
const SEARCHED = 5000
const BATCH = 500

/**
 * Deletes what expired and the contents nothing names any more. For every few minutes, in any number of processes at
 * once. Rows go before files: a process that dies in between leaves a file without a row, which `sweepOrphans` finds.
 */
export async function sweepUploads({ db, blobs, instance }: Parts, signal?: AbortSignal): Promise<Swept> {
  const swept: Swept = { sessions: 0, blobs: 0 }
  // A copy of the database names the same files, and forgets them in its own time.
  if (!(await instance.isWhole())) return swept
  for (let gone = SESSIONS; gone === SESSIONS && !signal?.aborted; ) {
    gone = await deleteExpired(db, SESSIONS)
    swept.sessions += gone
  }
  while (!signal?.aborted) {
    const due = await store.takeDue(db)
    if (!due) break
    const { removed, again } = await sweepOrganization({ db, blobs }, due.orgId, signal)
    swept.blobs += removed
    await store.settle(db, due, again)
  }
  return swept
}

/** Says after how many minutes it is worth looking again. */
async function sweepOrganization({ db, blobs }: Omit<Parts, 'instance'>, orgId: string, signal?: AbortSignal) {
  const unused = await store.findUnused(db, orgId, SEARCHED)
  const ripe = unused.filter((blob) => blob.ripe)
  let removed = 0
  for (let i = 0; i < ripe.length && !signal?.aborted; i += BATCH) {
    const batch = ripe.slice(i, i + BATCH)
    const cutoff = batch[0]?.cutoff ?? new Date(0)
    const hashes = batch.map((blob) => blob.sha256)
    const locations = await store.deleteUnused(db, orgId, hashes, cutoff)
    for (const location of locations) await blobs.remove(location)
    removed += locations.length
  }
  // Where nothing could be removed (others hold it all), asking again at once would only turn in a circle.
  const more = ripe.length === SEARCHED && removed > 0
  return { removed, again: more ? 0 : removed < unused.length ? HOUR_MINUTES : DAY_MINUTES }
}

/** Removes files that no row names: what died between file and row, or went with its organization. For once a day. */
export async function sweepOrphans({ db, blobs, instance }: Parts, signal?: AbortSignal): Promise<number> {
  if (!(await instance.mayCollect())) return 0
  let removed = await blobs.removeUnfinished(24 * HOUR)
  for await (const locations of blobs.listOlderThan(24 * HOUR)) {
    if (signal?.aborted || !(await instance.mayCollect())) break
    const known = await knownLocations(db, locations)
    for (const location of locations.filter((one) => !known.has(one))) {
      await blobs.remove(location)
      removed += 1
    }
  }
  return removed
}
