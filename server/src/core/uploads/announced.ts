import type { Queryable } from '../../db/database.ts'
import { contentsOf } from './folder.ts'
import { filesOf } from './store.ts'

/** In all remembered sessions together. */
const MOST_CONTENTS = 200_000

type Remembered = { contents: Promise<Map<string, number>>; count: number }
const sessions = new Map<string, Remembered>()

/**
 * The contents a session announced, with their sizes. That never changes, so it is read once: the thousands of contents
 * that follow would each make PostgreSQL read the whole list.
 */
export async function announcedBy(db: Queryable, orgId: string, id: string): Promise<ReadonlyMap<string, number>> {
  const key = `${orgId}/${id}`
  const remembered = sessions.get(key) ?? { contents: filesOf(db, orgId, id).then(contentsOf), count: 0 }
  // Set again even when known: the map's order is then the order of use.
  sessions.delete(key)
  sessions.set(key, remembered)
  try {
    const contents = await remembered.contents
    remembered.count = contents.size
    forgetOldest()
    return contents
  } catch (error) {
    sessions.delete(key)
    throw error
  }
}

function forgetOldest(): void {
  let total = 0
  for (const { count } of sessions.values()) total += count
  for (const [key, { count }] of sessions) {
    if (total <= MOST_CONTENTS || sessions.size === 1) return
    sessions.delete(key)
    total -= count
  }
}
