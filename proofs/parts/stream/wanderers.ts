import { setTimeout as pause } from 'node:timers/promises'
import { type Asked, openEvents } from './event-socket.ts'

export type Wander = {
  urls: string[]
  token: string
  id: string
  wanderers: number
  /** Connections that they cut themselves, together, spread over so many events. */
  reconnects: number
  events: number
  deadlineMs: number
}
export type Wandered = {
  /** Connections that they cut, and those that broke under them. */
  reconnects: number
  broken: number
  refused: number
  events: number
  last: number
  /** A number that was not the next one; an event that another reader, or an earlier connection, had seen otherwise. */
  misnumbered: number
  different: number
  unfinished: number
}

/** What everyone has seen under each number, as a hash. */
type Ledger = { hashes: Map<number, number>; tally: Omit<Wandered, 'unfinished'> }

export class Wanderers {
  readonly #wanted: Wander
  readonly #ledger: Ledger = {
    hashes: new Map(),
    tally: { reconnects: 0, broken: 0, refused: 0, events: 0, last: 0, misnumbered: 0, different: 0 },
  }

  constructor(wanted: Wander) {
    this.#wanted = wanted
  }

  /** Where they may connect to from now on. */
  set urls(urls: string[]) {
    this.#wanted.urls = urls
  }

  get sofar() {
    return { ...this.#ledger.tally }
  }

  /** All of them, until each has seen the end; then one more that reads everything again. */
  async go(): Promise<Wandered> {
    const deadline = Date.now() + this.#wanted.deadlineMs
    const done = await Promise.all(Array.from({ length: this.#wanted.wanderers }, () => this.#wander(deadline)))
    return { ...this.#ledger.tally, unfinished: done.filter((finished) => !finished).length }
  }

  async reread(printed: (line: string) => void): Promise<boolean> {
    const deadline = Date.now() + this.#wanted.deadlineMs
    return this.#wander(deadline, false, (block) => {
      const line = /"line": "(.*?)"[,}]/.exec(block)?.[1]
      if (line !== undefined) printed(line)
    })
  }

  async #wander(deadline: number, restless = true, saw: (block: string) => void = () => {}): Promise<boolean> {
    let seen = 0
    while (Date.now() < deadline) {
      const from =
        restless && this.#ledger.tally.reconnects < this.#wanted.reconnects ? somewhere(seen) : { since: seen }
      const result = await this.#connection(from, restless, saw)
      seen = Math.max(seen, result.seen)
      if (result.ended || (result.status === 204 && !restless)) return true
      if (result.cut) this.#ledger.tally.reconnects++
      else await pause(50)
    }
    return false
  }

  /** They are spread over the whole story, its end included. */
  #isDue(): boolean {
    const { reconnects, last } = this.#ledger.tally
    return reconnects < this.#wanted.reconnects * Math.min(1, (1.2 * last) / this.#wanted.events)
  }

  #connection(asked: Pick<Asked, 'since' | 'lastEventId'>, restless: boolean, saw: (block: string) => void) {
    const { urls, token, id } = this.#wanted
    const url = urls[Math.floor(Math.random() * urls.length)] ?? ''
    return new Promise<Connection>((done) => {
      const state: Connection = {
        seen: Math.max(asked.since, asked.lastEventId ?? 0),
        ended: false,
        cut: false,
        status: 0,
      }
      let left = 1 + Math.floor(Math.random() ** 3 * 20_000)
      const leave = () => {
        if (!restless || state.ended || !this.#isDue()) return
        state.cut = true
        socket.destroy()
      }
      const timer = setInterval(leave, 20 + Math.random() * 1500)
      const socket = openEvents(
        { url, token, id, ...asked },
        {
          event: (seq, block) => {
            if (state.cut) return
            this.#note(seq, block, state)
            saw(block)
            if (--left <= 0) leave()
          },
          over: (status) => {
            clearInterval(timer)
            const { tally } = this.#ledger
            if (!state.cut && status === 200 && !state.ended) tally.broken++
            if (status !== 200 && status !== 204 && status !== 0) tally.refused++
            done({ ...state, status })
          },
        },
      )
    })
  }

  #note(seq: number, block: string, state: Connection): void {
    const { hashes, tally } = this.#ledger
    tally.events++
    if (seq !== state.seen + 1) tally.misnumbered++
    state.seen = seq
    tally.last = Math.max(tally.last, seq)
    const hash = hashOf(block)
    if ((hashes.get(seq) ?? hash) !== hash) tally.different++
    hashes.set(seq, hash)
    state.ended ||= block.includes('\nevent: end\n')
  }
}

type Connection = { seen: number; ended: boolean; cut: boolean; status: number }

/** Mostly where it was, often a little before, now and then anywhere; told in either way, or in both. */
function somewhere(seen: number): { since: number; lastEventId?: number } {
  const kind = Math.random()
  const at =
    kind < 0.6 ? seen : Math.floor(kind < 0.9 ? Math.max(0, seen - Math.random() * 5000) : Math.random() * seen)
  const way = Math.random()
  if (way < 0.4) return { since: at }
  if (way < 0.8) return { since: 0, lastEventId: at }
  return { since: Math.floor(Math.random() * at), lastEventId: at }
}

/** FNV-1a: two different events rarely have the same. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193)
  return hash
}
