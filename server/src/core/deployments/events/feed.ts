import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { Database } from '../../../db/database.ts'
import type { Notifications } from '../../../db/notifications.ts'
import { progressOf } from './events-store.ts'
import type { History } from './history/history.ts'
import { type Encode, type Page, pageOf, pages, rest } from './history/pages.ts'

/**
 * The events of a deployment as they appear, for any number of viewers of this process. New events are read and written
 * out once and shared; a viewer who is behind what is shared reads the past, page by page, at its own pace.
 */
export type Feeds = {
  /** What is given is shared with others and must not be changed. Ends after the last event, or with the signal. */
  follow(id: string, since: number, signal: AbortSignal): AsyncGenerator<Uint8Array>
}

type Parts = { db: Database; changes: Notifications; history: History; encode: Encode }

export function feeds(parts: Parts): Feeds {
  const open = new Map<string, Feed>()
  const past = pages(parts.history, parts.encode)
  return {
    async *follow(id, since, signal) {
      const feed = open.get(id) ?? new Feed(parts, id)
      open.set(id, feed)
      const viewer: Viewer = { wake: null }
      feed.viewers.add(viewer)
      const gone = () => viewer.wake?.()
      signal.addEventListener('abort', gone)
      try {
        await feed.began
        for (let seen = since; !signal.aborted; ) {
          const behind = seen < feed.newest
          const page = feed.shared(seen) ?? (behind ? await past.after(id, seen) : undefined)
          if (page) {
            yield rest(page, seen)
            seen = page.last
          } else if (feed.finished || signal.aborted) return
          // Gone in this moment: the feed's next look finds that out.
          else if (behind) await pause(AGAIN_MS)
          else await feed.news(seen, viewer)
        }
      } finally {
        signal.removeEventListener('abort', gone)
        feed.viewers.delete(viewer)
        if (feed.viewers.size === 0 && open.get(id) === feed) {
          open.delete(id)
          feed.close()
        }
      }
    },
  }
}

/** Waits for news while `wake` is something to call. */
type Viewer = { wake: (() => void) | null }

const MOST = { events: 512, bytes: 64 * 1024 }
const RING_BYTES = 512 * 1024
const LOOK_MS = 1500
const AGAIN_MS = 200

class Feed {
  readonly viewers = new Set<Viewer>()
  /** The number of the newest event that is known here. */
  newest = 0
  /** Nothing comes after it: the deployment has ended, or was deleted. */
  finished = false
  /** Resolves when `newest` is known. */
  readonly began: Promise<void>
  /** The newest pages, one after the other without a hole. */
  #ring: Page[] = []
  #ringBytes = 0
  #hinted = false
  #unsure = false
  #running: Promise<void> | undefined
  #closed = false
  readonly #stop: () => void
  readonly #timer: NodeJS.Timeout
  readonly #parts: Parts
  readonly #id: string

  constructor(parts: Parts, id: string) {
    this.#parts = parts
    this.#id = id
    // Before the first look: what comes after it is heard of.
    this.#stop = parts.changes.subscribe(id, () => {
      this.#hinted = true
      this.#refresh()
    })
    this.began = progressOf(parts.db, id).then((progress) => {
      this.newest = progress?.newest ?? 0
      this.finished = progress?.finished ?? true
    })
    this.began.catch(() => {})
    // Hints may get lost on their way.
    this.#timer = setInterval(() => {
      this.#unsure = true
      this.#refresh()
    }, LOOK_MS).unref()
  }

  /** The page with what comes next; undefined when that is not shared, or not there yet. */
  shared(seen: number): Page | undefined {
    const first = this.#ring[0]?.seqs[0]
    if (first === undefined || seen < first - 1 || seen >= this.newest) return undefined
    return this.#ring.findLast((page) => (page.seqs[0] ?? 0) <= seen + 1)
  }

  /** Resolves when there may be more than was seen. Looks before it waits: what came meanwhile is not waited for. */
  news(seen: number, viewer: Viewer): Promise<void> | undefined {
    if (seen < this.newest || this.finished) return undefined
    return new Promise((done) => {
      viewer.wake = done
    })
  }

  /** Whoever calls while it runs makes it read once more: what is being read may be older than the hint. */
  #refresh(): void {
    this.#running ??= this.#run()
      // The next look tries again.
      .catch(() => {})
      .finally(() => {
        this.#running = undefined
      })
  }

  async #run(): Promise<void> {
    await this.began
    while ((this.#hinted || this.#unsure) && !this.#closed) {
      const unsure = this.#unsure
      this.#hinted = false
      this.#unsure = false
      if (unsure) await this.#look()
      else await this.#take()
    }
  }

  /** Asks how things stand, and reads what is missing. */
  async #look(): Promise<void> {
    const progress = await progressOf(this.#parts.db, this.#id)
    while (!this.#closed && this.newest < (progress?.newest ?? 0)) {
      // Gone in this moment: the next look finds that out.
      if (!(await this.#take())) return
    }
    // Not before: whoever has seen all that is shared so far would leave.
    this.finished = progress?.finished ?? true
    if (this.finished) this.#wake()
  }

  /** Reads and shares what comes next; whether there was anything. */
  async #take(): Promise<boolean> {
    const events = await this.#parts.history.after(this.#id, this.newest, MOST)
    const page = pageOf(events, this.#parts.encode)
    if (!page) return false
    this.#share(page)
    // Perhaps more than one page holds; or the last of all.
    if (events.length >= MOST.events || page.bytes.length >= MOST.bytes / 2) this.#hinted = true
    if (events.some(({ type }) => type === 'end')) this.#unsure = true
    const before = process.threadCpuUsage()
    this.#wake()
    await turn()
    // Every viewer has written by now. With many of them that takes longer than reading: then they get more at once,
    // less often, and half of the time is left for everything else.
    const { user, system } = process.threadCpuUsage(before)
    const tookMs = (user + system) / 1000
    if (tookMs > 2) await pause(tookMs)
    return true
  }

  #share(page: Page): void {
    this.#ring.push(page)
    this.#ringBytes += page.bytes.length
    this.newest = page.last
    while (this.#ring.length > 1 && this.#ringBytes > RING_BYTES)
      this.#ringBytes -= this.#ring.shift()?.bytes.length ?? 0
  }

  #wake(): void {
    for (const viewer of this.viewers) {
      viewer.wake?.()
      viewer.wake = null
    }
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
    this.#stop()
  }
}
