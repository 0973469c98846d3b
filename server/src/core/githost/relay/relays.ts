import { randomUUID } from 'node:crypto'
import type { RelayedDelivery } from '@slipway/contract/relay'
import type { Database } from '../../../db/database.ts'
import type { Notifications } from '../../../db/notifications.ts'
import * as store from './relay-store.ts'

/** `gap`: what came before `next` is not kept any more. `replaced`: the last word to who is not the one any more. */
export type RelayEvent =
  | ({ kind: 'delivery'; number: number } & RelayedDelivery)
  | { kind: 'gap'; next: number }
  | { kind: 'replaced' }

/** What linked instances hear, of all that are connected to this process. */
export type Relays = {
  /** Everything after a number, in order and as it comes, a batch at a time. Ends with the link, a newer stream or the signal. */
  follow(linkId: string, after: number, signal: AbortSignal): AsyncGenerator<RelayEvent[]>
}

type Parts = { db: Database; changes: Notifications; log: { warn(facts: object, words: string): void } }
type Open = { linkId: string; streamId: string; seen: number; isDue: boolean; wake: (() => void) | null }

const BATCH = 100
const LOOK_MS = 3000
const LOOK_AT_ONCE = 1000

/**
 * A stream waits for a notification and then reads what is new. Notifications may get lost: one look for all streams of the process, now
 * and then, finds who is behind, whose link is gone, and who has been replaced in another process. No stream has a timer of its own.
 */
export function relays(parts: Parts): Relays {
  const open = new Set<Open>()
  let timer: NodeJS.Timeout | undefined
  const look = lookAtAll(parts, open)
  const begin = (one: Open) => {
    open.add(one)
    timer ??= setInterval(look, LOOK_MS).unref()
  }
  const end = (one: Open) => {
    open.delete(one)
    if (open.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    async *follow(linkId, after, signal) {
      const one: Open = { linkId, streamId: randomUUID(), seen: after, isDue: true, wake: null }
      const wake = () => wakeUp(one)
      begin(one)
      // Before the first look: what comes after it is heard of.
      const unsubscribe = parts.changes.subscribe(linkId, wake)
      signal.addEventListener('abort', wake)
      try {
        await store.beginStream(parts.db, linkId, one.streamId, after)
        // The one before it, in whatever process, looks and ends.
        parts.changes.send(linkId)
        while (!signal.aborted) {
          one.isDue = false
          const events = await news(parts.db, one)
          if (events.length > 0) yield events
          if (events.at(-1)?.kind === 'replaced' || one.seen < 0) return
          if (events.length === 0) await due(one, signal)
        }
      } finally {
        signal.removeEventListener('abort', wake)
        unsubscribe()
        end(one)
      }
    },
  }
}

function wakeUp(one: Open): void {
  one.isDue = true
  one.wake?.()
  one.wake = null
}

/** Looks before it waits: what came while it was reading is not waited for. */
const due = (one: Open, { aborted }: AbortSignal): Promise<void> | undefined =>
  one.isDue || aborted
    ? undefined
    : new Promise((done) => {
        one.wake = done
      })

/** What comes next. A link that is gone has nothing to say, and `seen` tells so. */
async function news(db: Database, one: Open): Promise<RelayEvent[]> {
  const { linkId, streamId, seen } = one
  const now = await store.standing(db, linkId)
  if (!now) {
    one.seen = GONE
    return []
  }
  if (now.streamId !== streamId) return [{ kind: 'replaced' }]
  if (now.relayed === seen) return []
  // A number that was never given: of a database that is older than what its reader has seen.
  const rows = seen > now.relayed ? [] : await store.after(db, linkId, seen, BATCH)
  const next = rows[0]?.number ?? now.relayed + 1
  one.seen = rows.at(-1)?.number ?? now.relayed
  const deliveries = rows.map((row) => ({ kind: 'delivery' as const, ...row }))
  return next === seen + 1 ? deliveries : [{ kind: 'gap', next }, ...deliveries]
}

const GONE = -1

/** One round at a time. */
function lookAtAll({ db, log }: Parts, open: Set<Open>): () => Promise<void> {
  let running = false
  return async () => {
    if (running) return
    running = true
    const all = [...open]
    try {
      for (let at = 0; at < all.length; at += LOOK_AT_ONCE) {
        const some = all.slice(at, at + LOOK_AT_ONCE)
        const now = await store.standings(
          db,
          some.map(({ linkId }) => linkId),
        )
        for (const one of some) {
          const { relayed, streamId } = now.get(one.linkId) ?? {}
          if (relayed !== one.seen || streamId !== one.streamId) wakeUp(one)
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'streams of linked instances could not be looked after; it is tried again')
    } finally {
      running = false
    }
  }
}
