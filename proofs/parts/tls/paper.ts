import {
  MOST_RUNS,
  needOf,
  nextRuns,
  ORDER_WINDOW_MS,
  PACE_MS,
  renewalMoment,
  retryMs,
  type Wanting,
} from '../../../server/src/core/domains/certificates/plan.ts'
import { Heap } from './heap.ts'

// The planner on paper time: its own functions decide, a CA that answers after some seconds is played. What a look finds
// is what waits; the minutes until a waiting name is looked at again are left out.

const SECOND = 1000
export const HOUR = 3600 * SECOND
export const DAY = 24 * HOUR
const LOOK_MS = 2 * SECOND
const ANSWER_MS = 10 * SECOND
const LIFE_MS = 90 * DAY
/** All names are those of one organization. */
const ORG = 'one'

export type Play = {
  domains: number
  days: number
  /** When each was issued, in days before the beginning; null for a name that has no certificate yet. */
  age(n: number): number | null
  failing?: number
  outage?: { from: number; to: number }
}

export type Played = {
  orders: number
  failed: number
  /** Most orders in any three hours, as the CA counts them. */
  mostInWindow: number
  /** Of renewals: the busiest hour, and how many there are in one on average. */
  renewals: { count: number; busiestHour: number; perHour: number }
  leastDaysLeft: number
  expired: number
  /** Names that have no certificate in the end. */
  without: number
  /** Most failed proofs of one name in an hour. */
  mostFailuresOfName: number
}

type Name = { host: string; serial: number; notBefore: number | null; attempts: number; failures: number[] }
type Running = { name: Name; endsAt: number; failure: string | null }

/** Plays it to the end. */
export function play(wanted: Play): Played {
  const paper = new Paper(wanted)
  while (paper.now < wanted.days * DAY) paper.look()
  return paper.result()
}

class Paper {
  now = 0
  readonly #wanted: Play
  readonly #names: Name[]
  /** By the moment at which they want one, and by whose turn it is. */
  readonly #later = new Heap<Name>()
  readonly #waiting = new Heap<Name>()
  readonly #orders: number[] = []
  readonly #renewals = new Map<number, number>()
  readonly #random = dice(7)
  #running: Running[] = []
  #windowFrom = 0
  #paceFrom = 0
  #result = { mostInWindow: 0, failed: 0, leastDaysLeft: Number.POSITIVE_INFINITY, expired: 0, mostFailuresOfName: 0 }

  constructor(wanted: Play) {
    this.#wanted = wanted
    this.#names = Array.from({ length: wanted.domains }, (_, n) => {
      const age = wanted.age(n)
      const notBefore = age === null ? null : -age * DAY
      return { host: `n${n}.example.test`, serial: n, notBefore, attempts: 0, failures: [] }
    })
    for (const name of this.#names) this.#later.push(momentOf(name), name)
  }

  look(): void {
    this.#running = this.#running.filter((run) => run.endsAt > this.now || this.#end(run))
    while (this.#later.key <= this.now) {
      const name = this.#later.pop()
      if (name) this.#waiting.push(endOf(name) ?? 0, name)
    }
    this.#order()
    this.now = Math.ceil(this.#next() / LOOK_MS) * LOOK_MS
  }

  /** Those whose turn it is; more than run at once are never chosen. */
  #order(): void {
    const most = Math.min(MOST_RUNS - this.#running.length, this.#waiting.size)
    if (most === 0) return
    const some = Array.from({ length: most }, () => this.#waiting.pop())
    const names = some.filter((name) => name !== undefined)
    const wanting = names.map((name): Wanting & { name: Name } => ({
      name,
      orgId: ORG,
      order: true,
      ...wantingOf(name, this.now),
    }))
    this.#windowFrom = this.#since(this.#windowFrom, ORDER_WINDOW_MS)
    this.#paceFrom = this.#since(this.#paceFrom, PACE_MS)
    const placed = this.#orders.length
    const inWindow = placed - this.#windowFrom
    const ordered = { inWindow, lately: placed - this.#paceFrom, loud: 0, own: new Map([[ORG, inWindow]]) }
    const running = { all: this.#running.length, own: new Map([[ORG, this.#running.length]]) }
    const chosen = new Set(nextRuns(wanting, { ordered, running, alone: true }).map(({ name }) => name))
    for (const name of names) {
      if (chosen.has(name)) this.#place(name)
      else this.#waiting.push(endOf(name) ?? 0, name)
    }
    this.#result.mostInWindow = Math.max(this.#result.mostInWindow, this.#orders.length - this.#windowFrom)
  }

  #place(name: Name): void {
    this.#orders.push(this.now)
    const { outage, failing = 0 } = this.#wanted
    const isOut = outage !== undefined && this.now >= outage.from && this.now < outage.to
    const failure = isOut ? 'ca_unreachable' : this.#random() < failing ? 'challenge_failed' : null
    this.#running.push({ name, endsAt: this.now + ANSWER_MS, failure })
  }

  /** Always false: it runs no more. */
  #end({ name, failure }: Running): false {
    if (failure === null) this.#renew(name)
    else {
      this.#result.failed++
      name.attempts++
      if (failure === 'challenge_failed') this.#noteFailure(name)
      this.#later.push(this.now + retryMs(failure, name.attempts, this.#random()), name)
    }
    return false
  }

  #renew(name: Name): void {
    const end = endOf(name)
    if (end !== null) {
      const hour = Math.floor(this.now / HOUR)
      this.#renewals.set(hour, (this.#renewals.get(hour) ?? 0) + 1)
      this.#result.leastDaysLeft = Math.min(this.#result.leastDaysLeft, (end - this.now) / DAY)
      if (end <= this.now) this.#result.expired++
    }
    Object.assign(name, { notBefore: this.now, attempts: 0, serial: name.serial + this.#names.length })
    this.#later.push(momentOf(name), name)
  }

  #noteFailure(name: Name): void {
    name.failures = [...name.failures.filter((at) => at > this.now - HOUR), this.now]
    this.#result.mostFailuresOfName = Math.max(this.#result.mostFailuresOfName, name.failures.length)
  }

  /** The first order that is not older than this. */
  #since(from: number, ms: number): number {
    let first = from
    while ((this.#orders[first] ?? Number.POSITIVE_INFINITY) <= this.now - ms) first++
    return first
  }

  /** When there is something to do again: the next name, an answer of the CA, or room where some wait for it. */
  #next(): number {
    const answers = this.#running.map(({ endsAt }) => endsAt)
    const room = [
      (this.#orders[this.#windowFrom] ?? Number.POSITIVE_INFINITY) + ORDER_WINDOW_MS,
      (this.#orders[this.#paceFrom] ?? Number.POSITIVE_INFINITY) + PACE_MS,
    ]
    const moments = [this.#later.key, ...answers, ...(this.#waiting.size > 0 ? room : [])]
    return Math.max(this.now + LOOK_MS, Math.min(...moments))
  }

  result(): Played {
    const hours = [...this.#renewals.keys()]
    const count = [...this.#renewals.values()].reduce((sum, one) => sum + one, 0)
    const over = this.#names.filter((name) => (endOf(name) ?? this.now) < this.now).length
    return {
      ...this.#result,
      orders: this.#orders.length,
      expired: this.#result.expired + over,
      without: this.#names.filter(({ notBefore }) => notBefore === null).length,
      renewals: {
        count,
        busiestHour: Math.max(...this.#renewals.values()),
        perHour: count / (Math.max(...hours) - Math.min(...hours) + 1),
      },
    }
  }
}

const endOf = ({ notBefore }: Name) => (notBefore === null ? null : notBefore + LIFE_MS)

function wantingOf(name: Name, now: number): Pick<Wanting, 'notAfter' | 'need'> {
  const end = endOf(name)
  const notAfter = end === null ? null : new Date(end)
  const notBefore = name.notBefore === null ? null : new Date(name.notBefore)
  return { notAfter, need: needOf({ notBefore, notAfter }, now) }
}

function momentOf({ host, serial, notBefore }: Name): number {
  if (notBefore === null) return 0
  const life = { notBefore: new Date(notBefore), notAfter: new Date(notBefore + LIFE_MS) }
  return renewalMoment({ host, serial: String(serial), ...life }).getTime()
}

/** Always the same sequence: what was seen once can be looked at again. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
