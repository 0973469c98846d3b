import type { Database } from '../../../db/database.ts'
import { activeIds } from '../rows/store.ts'

/** Tells which release serves for a project, to all who want to know it in this process. */
export type ActiveReleases = {
  /** Calls back when it is another one than that, and whenever it changes again. Returns how to stop. */
  watch(project: { id: string; orgId: string }, known: string | null, changed: (id: string) => void): () => void
}

type Watcher = { id: string; orgId: string; known: string | null; changed(id: string): void }

const LOOK_MS = 2000
const AT_ONCE = 1000

/** One question for a thousand projects every two seconds, however many watch them, and none when nobody does. */
export function activeReleases(db: Database): ActiveReleases {
  const watchers = new Set<Watcher>()
  let isScheduled = false
  const look = async () => {
    const projects = [...new Map([...watchers].map(({ id, orgId }) => [id, { id, orgId }])).values()]
    for (let at = 0; at < projects.length; at += AT_ONCE) {
      const active = await activeIds(db, projects.slice(at, at + AT_ONCE))
      for (const one of watchers) {
        const id = active.get(one.id)
        if (id === undefined || id === one.known) continue
        one.known = id
        one.changed(id)
      }
    }
  }
  const next = () => {
    isScheduled = false
    look()
      // The next look tries again.
      .catch(() => {})
      .finally(schedule)
  }
  const schedule = () => {
    if (watchers.size === 0 || isScheduled) return
    isScheduled = true
    setTimeout(next, LOOK_MS).unref()
  }
  return {
    watch({ id, orgId }, known, changed) {
      const watcher = { id, orgId, known, changed }
      watchers.add(watcher)
      schedule()
      return () => void watchers.delete(watcher)
    },
  }
}
