import type { Database } from '../../../db/database.ts'
import type { Notifications } from '../../../db/notifications.ts'
import { databaseOutage } from '../../../errors.ts'
import { append, type EventType, type Fence, findStored, type NewEvent } from './events-store.ts'
import { shownLine } from './line.ts'

/** Takes events as they come and stores them in batches, in order. */
export type EventWriter = {
  /** Never waits. Whoever writes much asks for `room` now and then. */
  write(type: EventType, data: Record<string, unknown>, at?: Date): void
  /** A line of the log, unless this owner has written one under the same key. */
  writeOnce(key: string, data: Record<string, unknown>): void
  /** Waits while so much is unwritten that more should not be produced. */
  room(signal?: AbortSignal): Promise<void>
  /** Waits for all of them; rejects when they cannot be stored. */
  flush(): Promise<void>
}

/** Asked once for each batch: what it leaves out is stored nowhere. */
export type Admit = (events: NewEvent[]) => Promise<NewEvent[]>

type Options = {
  db: Database
  changes: Notifications
  id: string
  fence: Fence
  redact(text: string): string
  onLost(): void
  /** Which of a batch are stored; all of them where nothing is said. */
  admit?: Admit | undefined
}

/** At least this long between two batches that are not full; after a quiet while the first one goes soon. */
const GATHER_MS = 50
const SOON_MS = 10
const BATCH_EVENTS = 500
const BATCH_CHARACTERS = 512 * 1024
/** Batches that may wait before whoever produces them has to. */
const MOST_BATCHES = 8
const AGAIN_MS = 300
/** For how long a flush waits for a database that is away. */
const PATIENCE_MS = 15_000

type Batch = { events: NewEvent[]; characters: number; tried: boolean }

/** `onLost` is told when the run belongs to someone else by now: what came after that is dropped. */
export const eventWriter = (options: Options): EventWriter => new Writer(options)

class Writer implements EventWriter {
  readonly #options: Options
  #batches: Batch[] = []
  #waiting = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #started = Number.NEGATIVE_INFINITY
  #lost = false
  /** Of the last batch that is known to be stored. */
  #seq = 0
  #failure: unknown
  readonly #once = new Set<string>()

  constructor(options: Options) {
    this.#options = options
  }

  write(type: EventType, data: Record<string, unknown>, at = new Date()): void {
    if (this.#lost) return
    put(this.#batches, { type, at, data: clean(data, this.#options.redact) })
    if (this.#batches.length > 1) this.#start().catch(() => {})
    else this.#startIn(Math.max(SOON_MS, this.#started + GATHER_MS - performance.now()))
  }

  writeOnce(key: string, data: Record<string, unknown>): void {
    if (this.#once.has(key)) return
    this.#once.add(key)
    this.write('log', data)
  }

  async room(signal?: AbortSignal): Promise<void> {
    while (this.#batches.length >= MOST_BATCHES && !signal?.aborted) {
      if (this.#failure !== undefined) throw this.#failure
      await oneOf(this.#waiting, signal)
    }
  }

  async flush(): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS
    while (this.#batches.length > 0) {
      await this.#start().catch(async (error) => {
        if (!databaseOutage(error) || Date.now() > deadline) throw error
        await new Promise((again) => setTimeout(again, AGAIN_MS))
      })
    }
  }

  #startIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.#start().catch(() => {}), ms)
  }

  #start(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#started = performance.now()
    this.#writing ??= this.#drain()
    return this.#writing
  }

  async #drain(): Promise<void> {
    try {
      for (let batch = this.#batches[0]; batch; batch = this.#batches[0]) {
        await this.#store(batch)
        if (this.#lost) this.#batches = []
        else this.#batches.shift()
        this.#failure = undefined
        if (this.#batches.length < MOST_BATCHES) this.#wake()
      }
    } catch (error) {
      if (databaseOutage(error as Error)) this.#startIn(AGAIN_MS)
      else this.#failure = error
      if (this.#failure !== undefined) this.#wake()
      throw error
    } finally {
      this.#writing = undefined
    }
  }

  async #store(batch: Batch): Promise<void> {
    const { db, changes, id, fence, onLost, admit } = this.#options
    // Closed: what comes meanwhile is for the next one.
    batch.characters = Number.POSITIVE_INFINITY
    if (admit && !batch.tried) batch.events = await admit(batch.events)
    if (batch.events.length === 0) return
    const [first] = batch.events
    // A commit whose answer got lost may have happened.
    const found = batch.tried && first ? await findStored(db, id, this.#seq, first) : 0
    batch.tried = true
    const last = found ? found + batch.events.length - 1 : await append(db, id, fence, batch.events)
    this.#lost = last === 0
    if (this.#lost) return onLost()
    this.#seq = last
    changes.send(id)
  }

  #wake(): void {
    for (const go of this.#waiting) go()
  }
}

function put(batches: Batch[], event: NewEvent): void {
  const characters = String(event.data.line ?? '').length + 200
  const last = batches.at(-1)
  const fits = last && last.events.length < BATCH_EVENTS && last.characters + characters <= BATCH_CHARACTERS
  if (!fits) return void batches.push({ events: [event], characters, tried: false })
  last.events.push(event)
  last.characters += characters
}

/** Waits with the others to be called, or for the signal. */
const oneOf = (waiting: Set<() => void>, signal: AbortSignal | undefined) =>
  new Promise<void>((done) => {
    const go = () => {
      waiting.delete(go)
      signal?.removeEventListener('abort', go)
      done()
    }
    waiting.add(go)
    signal?.addEventListener('abort', go, { once: true })
  })

/** Secrets may be printed by anyone: every text is cleaned before it is stored. PostgreSQL takes no NUL and no half pairs. */
function clean(data: Record<string, unknown>, redact: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, cleaned(value, redact)]))
}

function cleaned(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return shownLine(value, redact).replaceAll('\0', '�').toWellFormed()
  if (Array.isArray(value)) return value.map((one) => cleaned(one, redact))
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object' && value !== null) return clean(value as Record<string, unknown>, redact)
  return value
}
