import type { Database } from '../../db/database.ts'
import type { Notifications } from '../../db/notifications.ts'
import { read, readNewest, type StoredEvent } from './events-store.ts'

const RING = 2000
const PAGE = 500
const LOOK_MS = 1500

/**
 * The events of a deployment as they appear, for any number of viewers of this process. New events are read once and
 * shared; a viewer who is behind what is shared reads the table by itself, at its own pace.
 */
export type Feeds = { follow(id: string, since: number, signal: AbortSignal): AsyncGenerator<StoredEvent[]> }

export function feeds(db: Database, changes: Notifications): Feeds {
  const open = new Map<string, Feed>()
  return {
    async *follow(id, since, signal) {
      const feed = open.get(id) ?? new Feed(db, changes, id)
      open.set(id, feed)
      feed.viewers++
      try {
        for (let seen = since; !signal.aborted; ) {
          const events = feed.after(seen) ?? (await read(db, id, seen, PAGE))
          const last = events.at(-1)
          if (last === undefined) {
            await feed.news(signal)
            continue
          }
          seen = last.seq
          yield events
          if (last.type === 'end') return
        }
      } finally {
        feed.viewers--
        if (feed.viewers === 0) {
          open.delete(id)
          feed.close()
        }
      }
    },
  }
}

class Feed {
  viewers = 0
  #ring: StoredEvent[] = []
  #waiting = new Set<() => void>()
  #reading: Promise<void> | undefined
  #stop: () => void
  #look: NodeJS.Timeout
  readonly #db: Database
  readonly #id: string

  constructor(db: Database, changes: Notifications, id: string) {
    this.#db = db
    this.#id = id
    this.#stop = changes.subscribe(id, () => this.#refresh())
    this.#look = setInterval(() => this.#refresh(), LOOK_MS).unref()
  }

  /** Shared events after `seen`; undefined when that is older than what is shared. */
  after(seen: number): StoredEvent[] | undefined {
    const first = this.#ring[0]
    const last = this.#ring.at(-1)
    if (!first || !last || seen < first.seq - 1) return undefined
    return seen >= last.seq ? [] : this.#ring.slice(seen - first.seq + 1)
  }

  /** Resolves when there may be more. */
  news(signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        done()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
      if (this.#ring.length === 0) this.#refresh()
    })
  }

  #refresh(): void {
    this.#reading ??= this.#read()
      .catch(() => {})
      .finally(() => {
        this.#reading = undefined
      })
  }

  async #read(): Promise<void> {
    for (;;) {
      const last = this.#ring.at(-1)?.seq
      // What is shared begins near the end: viewers who are behind catch up by themselves.
      const events =
        last === undefined ? await readNewest(this.#db, this.#id, PAGE) : await read(this.#db, this.#id, last, PAGE)
      this.#ring = [...this.#ring, ...events].slice(-RING)
      if (events.length > 0 || last === undefined) for (const wake of [...this.#waiting]) wake()
      if (last === undefined || events.length < PAGE) return
    }
  }

  close(): void {
    clearInterval(this.#look)
    this.#stop()
    for (const wake of [...this.#waiting]) wake()
  }
}
