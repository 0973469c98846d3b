import { serverNow } from '../api/clock.ts'
import type { Ask, Happening, LogSource, LogState, Question, Tell } from './log-messages.ts'
import type { Connection } from './worker/follow-stream.ts'
import type { Want } from './worker/log-book.ts'
import { isRegex } from './worker/pattern.ts'

/** As it is shown: `again` is when it is tried again, by the server's clock. */
export type Shown = Exclude<Connection, { state: 'lost' }> | { state: 'lost'; again: number }

export type Log = {
  state(): LogState
  connection(): Shown
  /** The pattern took too long and was called off; null when none was. */
  calledOff(): string | null
  /** What `state` says is of the filter that is wanted now, and not of the one before. */
  isCurrent(): boolean
  listen(listener: () => void): () => void
  onHappening(take: (happenings: Happening[]) => void): void
  want(want: Want): void
  watch(from: number, to: number, tail: boolean): void
  ask(question: Exclude<Question, { ask: 'text' | 'around' }>): Promise<number>
  text(question: Extract<Question, { ask: 'text' | 'around' }>): Promise<string>
  close(): void
}

const EMPTY: LogState = {
  version: 0,
  lines: 0,
  size: 0,
  matches: 0,
  isSearching: false,
  warnings: 0,
  errors: 0,
  lastSeq: 0,
  letGo: 0,
  services: [],
  from: 0,
  rows: [],
}
const LOOK_MS = 1000
/** So long may one line keep a regular expression busy. A search of many lines answers in between. */
const MOST_LOOKS = 3
const HIDDEN_MS = 30_000

/** A log lives in a worker; the page holds the rows that it shows, and no more. */
export const openLog = (source: LogSource): Log => new OpenLog(source)

class OpenLog implements Log {
  readonly #source: LogSource
  readonly #listeners = new Set<() => void>()
  readonly #asked = new Map<number, { answer(value: number | string): void; none: number | string }>()
  readonly #stops: (() => void)[]
  #worker: Worker
  #state = EMPTY
  #connection: Shown = { state: 'connecting' }
  #calledOff: string | null = null
  #takeHappenings: (happenings: Happening[]) => void = () => {}
  #nextId = 0
  #version = 0
  #wanted: Want | undefined
  #watched: Ask | undefined

  constructor(source: LogSource) {
    this.#source = source
    this.#worker = this.#start()
    this.#stops = [
      watchdog({
        isNeeded: () => isRegex(this.#wanted?.find ?? ''),
        ping: () => this.#put({ ask: 'ping' }),
        callOff: () => this.#callOff(),
      }),
      holdWhileHidden((ask) => this.#worker.postMessage(ask)),
    ]
  }

  state = () => this.#state
  connection = () => this.#connection
  calledOff = () => this.#calledOff
  isCurrent = () => this.#state.version === this.#version
  ask = (question: Question) => this.#put(question) as Promise<number>
  text = (question: Question) => this.#put(question) as Promise<string>

  listen = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onHappening(take: (happenings: Happening[]) => void): void {
    this.#takeHappenings = take
  }

  want(want: Want): void {
    if (want.find !== this.#calledOff) this.#calledOff = null
    this.#wanted = this.#calledOff === null ? want : { ...want, find: '' }
    this.#worker.postMessage({ ask: 'want', want: this.#wanted, version: ++this.#version } satisfies Ask)
  }

  watch(from: number, to: number, tail: boolean): void {
    this.#watched = { ask: 'watch', from, to, tail }
    this.#worker.postMessage(this.#watched)
  }

  close(): void {
    for (const stop of this.#stops) stop()
    this.#worker.terminate()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker/log-worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', (message: MessageEvent<Tell>) => this.#hear(message.data))
    const first: (Ask | undefined)[] = [
      this.#wanted && { ask: 'want', want: this.#wanted, version: this.#version },
      this.#watched,
      { ask: 'open', source: this.#source },
    ]
    for (const ask of first) if (ask) worker.postMessage(ask)
    return worker
  }

  #hear(told: Tell): void {
    if (told.tell === 'answer') {
      this.#asked.get(told.id)?.answer(told.value)
      this.#asked.delete(told.id)
      return
    }
    if (told.tell === 'happenings') {
      this.#takeHappenings(told.happenings)
      return
    }
    // Of a filter that is no longer wanted.
    if (told.tell === 'state' && told.state.version !== this.#version) return
    if (told.tell === 'state') this.#state = { ...told.state, rows: told.state.rows ?? this.#state.rows }
    else this.#connection = shownOf(told.connection)
    for (const tell of this.#listeners) tell()
  }

  #put(question: Question): Promise<number | string> {
    return new Promise((answer) => {
      const id = ++this.#nextId
      this.#asked.set(id, { answer, none: question.ask === 'text' || question.ask === 'around' ? '' : -1 })
      this.#worker.postMessage({ ...question, id } satisfies Ask)
    })
  }

  /** Nobody can stop a regular expression in the middle of a line: its worker ends, and the log is read again without it. */
  #callOff(): void {
    this.#worker.terminate()
    // Who waits for an answer hears that there is none.
    for (const { answer, none } of this.#asked.values()) answer(none)
    this.#asked.clear()
    this.#calledOff = this.#wanted?.find ?? ''
    if (this.#wanted) this.#wanted = { ...this.#wanted, find: '' }
    this.#version++
    this.#worker = this.#start()
    for (const tell of this.#listeners) tell()
  }
}

const shownOf = (connection: Connection): Shown =>
  connection.state === 'lost' ? { state: 'lost', again: serverNow() + connection.waitMs } : connection

type Watched = { isNeeded(): boolean; ping(): Promise<unknown>; callOff(): void }

/** Calls off what does not answer for several looks in a row. */
function watchdog({ isNeeded, ping, callOff }: Watched): () => void {
  let unanswered = 0
  const timer = setInterval(() => {
    if (!isNeeded()) {
      unanswered = 0
      return
    }
    if (unanswered === MOST_LOOKS) {
      unanswered = 0
      return callOff()
    }
    if (unanswered++ === 0)
      void ping().then(() => {
        unanswered = 0
      })
  }, LOOK_MS)
  return () => clearInterval(timer)
}

/** HTTP/1.1 gives six connections over all tabs: one that nobody looks at lets go of its own, and takes it up again. */
function holdWhileHidden(send: (ask: Ask) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(() => send({ ask: 'hold' }), HIDDEN_MS)
    else send({ ask: 'go on' })
  }
  const online = () => send({ ask: 'go on' })
  document.addEventListener('visibilitychange', look)
  addEventListener('online', online)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', look)
    removeEventListener('online', online)
  }
}
