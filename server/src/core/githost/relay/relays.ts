import { randomUUID } from 'node:crypto'
import type { RelayedDelivery } from '@slipway/contract/relay'
import type { Database } from '../../../db/database.ts'
import type { Notifications } from '../../../db/notifications.ts'
import { batches } from '../../batches.ts'
import * as store from './relay-store.ts'

/** `gap`: what came before `next` is not kept any more, and `mark` is of the number before it. `replaced`: the last word to who is not the one any more. */
export type RelayEvent =
  | ({ kind: 'delivery'; number: number } & RelayedDelivery)
  | { kind: 'gap'; next: number; mark: string | null }
  | { kind: 'replaced' }

/** What linked instances hear, of all that are connected to this process. */
export type Relays = {
  /** Everything after what was taken, in order and as it comes, a batch at a time. Ends with the link, a newer stream or the signal. */
  follow(linkId: string, after: store.Cursor, signal: AbortSignal): AsyncGenerator<RelayEvent[]>
}

type Parts = { db: Database; changes: Notifications; log: { warn(facts: object, words: string): void } }
type Open = { linkId: string; streamId: string; seen: store.Cursor; isDue: boolean; wake: (() => void) | null }

const BATCH = 100
const LOOK_MS = 3000
const LINKS_AT_ONCE = 1000
/** Readers in one question: what each of them is behind with may be much. */
const READERS_AT_ONCE = 50

/**
 * A stream waits for a notification and then reads what is new. Notifications may get lost: one look for all streams of the process, now
 * and then, finds who is behind, whose link is gone, and who has been replaced in another process. No stream has a timer of its own, and
 * none a question that all the others ask as well: thundering herds, after a restart on either side, are a few statements.
 */
export function relays(parts: Parts): Relays {
  const open = new Set<Open>()
  let timer: NodeJS.Timeout | undefined
  const look = lookAtAll(parts, open)
  const beginStream = batches(LINKS_AT_ONCE, (streams: store.Begun[]) => store.beginStreams(parts.db, streams))
  const standing = batches(LINKS_AT_ONCE, (links: { id: string }[]) =>
    store.standings(
      parts.db,
      links.map(({ id }) => id),
    ),
  )
  const read = batches(READERS_AT_ONCE, (readers: { id: string; number: number }[]) =>
    store.after(parts.db, readers, BATCH),
  )
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
      const one: Open = { linkId, streamId: randomUUID(), seen: after, isDue: false, wake: null }
      const wake = () => wakeUp(one)
      begin(one)
      // Before the first look: what comes after it is heard of.
      const unsubscribe = parts.changes.subscribe(linkId, wake)
      signal.addEventListener('abort', wake)
      try {
        let now = await beginStream({ id: linkId, streamId: one.streamId, taken: after })
        // The one before it, in whatever process, looks and ends.
        parts.changes.send(linkId)
        while (!signal.aborted) {
          const events = await news(one, now, read)
          if (events.length > 0) yield events
          if (events.at(-1)?.kind === 'replaced' || one.seen.number < 0) return
          if (events.length === 0) await due(one, signal)
          if (signal.aborted) return
          // Before it is asked: of what comes meanwhile nobody knows whether the answer tells it.
          one.isDue = false
          now = await standing({ id: linkId })
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

type Read = (reader: { id: string; number: number }) => Promise<store.Row[] | undefined>

/** What comes next. A link that is gone has nothing to say, and `seen` tells so. */
async function news(one: Open, now: store.Standing | undefined, read: Read): Promise<RelayEvent[]> {
  const { linkId, streamId, seen } = one
  if (!now) {
    one.seen = GONE
    return []
  }
  if (now.streamId !== streamId) return [{ kind: 'replaced' }]
  const { newest } = now
  if (newest.number === seen.number && isOfOneHistory(newest.mark, seen.mark)) {
    one.seen = newest
    return []
  }
  // A number that was never given, or given to something else: of a database that is older than what its reader has seen.
  const rows = seen.number >= newest.number ? [] : ((await read({ id: linkId, number: seen.number })) ?? [])
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last || (first.number === seen.number + 1 && !isOfOneHistory(first.beforeMark, seen.mark))) {
    one.seen = newest
    return [{ kind: 'gap', next: newest.number + 1, mark: newest.mark }]
  }
  one.seen = { number: last.number, mark: last.mark }
  const deliveries = rows.map(({ beforeMark: _, ...row }) => ({ kind: 'delivery' as const, ...row }))
  const { number: next, beforeMark: mark } = first
  return next === seen.number + 1 ? deliveries : [{ kind: 'gap', next, mark }, ...deliveries]
}

const GONE: store.Cursor = { number: -1, mark: null }

/** The same number with another mark: this database was restored to a moment before it, and gave the number again. */
const isOfOneHistory = (a: string | null, b: string | null) => a === null || b === null || a === b

/** One round at a time. */
function lookAtAll({ db, log }: Parts, open: Set<Open>): () => Promise<void> {
  let running = false
  return async () => {
    if (running) return
    running = true
    const all = [...open]
    try {
      for (let at = 0; at < all.length; at += LINKS_AT_ONCE) {
        const some = all.slice(at, at + LINKS_AT_ONCE)
        const now = await store.standings(
          db,
          some.map(({ linkId }) => linkId),
        )
        for (const one of some) {
          const { newest, streamId } = now.get(one.linkId) ?? {}
          const { number, mark } = one.seen
          if (newest?.number !== number || newest.mark !== mark || streamId !== one.streamId) wakeUp(one)
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'streams of linked instances could not be looked after; it is tried again')
    } finally {
      running = false
    }
  }
}
