import type { Database } from '../../db/database.ts'
import { beat, type CallKey } from './store.ts'

type Held = CallKey & { claim: string }

/** The keys that calls of this process hold while they run. Whoever does not say so for a minute is taken for dead. */
export type Claims = {
  /** Returns how to let go. */
  hold(call: Held): () => void
  beat(): Promise<void>
}

/** Four times within the minute after which a claim is taken over. */
export const BEAT_MS = 15_000

export function claims(db: Database): Claims {
  const held = new Set<Held>()
  return {
    hold(call) {
      held.add(call)
      return () => void held.delete(call)
    },
    async beat() {
      if (held.size > 0) await beat(db, [...held])
    },
  }
}
