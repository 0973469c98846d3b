import type { Database } from '../../db/database.ts'
import { markUsed } from './store.ts'

/** Remembers which tokens were used and writes it down in batches, at most once a minute for each. */
export type TokenUse = { note(tokenId: string): void; flush(): Promise<void> }

const MOST_PENDING = 10_000

export function tokenUse(db: Database): TokenUse {
  const pending = new Set<string>()
  return {
    note(tokenId) {
      if (pending.size < MOST_PENDING) pending.add(tokenId)
    },
    async flush() {
      if (pending.size === 0) return
      const ids = [...pending]
      pending.clear()
      await markUsed(db, ids)
    },
  }
}
