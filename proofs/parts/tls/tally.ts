import type { Line } from './line.ts'

export type Kind = 'HTTP/1.1' | 'HTTP/2' | 'new connection'
export type Failure = { kind: Kind; host: string; words: string; began: number; ended: number }

/** What one phase of the traffic saw. Times are milliseconds since the traffic began. */
export type Report = {
  seconds: number
  answered: Record<Kind, number>
  failures: Failure[]
  /** Of any ten seconds in a row. */
  slowest: number
  perSecond: number
  p50: number
  p99: number
  worst: number
  /** The longest time between two connections that came about, and when it began. */
  gap: { ms: number; from: number }
  closedIdle: number
  resetIdle: number
  /** The certificates that visitors of each name were shown, in their order. */
  serials: Record<string, string[]>
  versions: Record<string, number>
}

export class Tally {
  readonly #began: number
  readonly #lines: Line[]
  readonly #idle: { closed: number; reset: number }
  readonly #answered: Record<Kind, number> = { 'HTTP/1.1': 0, 'HTTP/2': 0, 'new connection': 0 }
  readonly #failures: Failure[] = []
  readonly #perSecond: number[] = []
  readonly #latencies: number[] = []
  readonly #connected: number[] = []
  readonly #serials: Record<string, string[]> = {}
  readonly #versions: Record<string, number> = {}

  /** `began`: when this phase did. */
  constructor(began: number, lines: Line[]) {
    this.#began = began
    this.#lines = lines
    this.#idle = idleOf(lines)
  }

  good(kind: Kind, version: string, began: number, ended: number): void {
    this.#answered[kind]++
    this.#versions[version] = (this.#versions[version] ?? 0) + 1
    this.#latencies.push(ended - began)
    const second = Math.floor((ended - this.#began) / 1000)
    this.#perSecond[second] = (this.#perSecond[second] ?? 0) + 1
  }

  connected(host: string, serial: string, at: number): void {
    this.#connected.push(at)
    this.#serials[host] ??= []
    const mine = this.#serials[host]
    if (!mine.includes(serial)) mine.push(serial)
  }

  bad(failure: Failure): void {
    this.#failures.push(failure)
  }

  report(now: number): Report {
    const seconds = (now - this.#began) / 1000
    const sorted = this.#latencies.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    const idle = idleOf(this.#lines)
    return {
      seconds,
      answered: this.#answered,
      failures: this.#failures,
      slowest: slowestOf(this.#perSecond),
      perSecond: sorted.length / seconds,
      ...{ p50: at(0.5), p99: at(0.99), worst: at(1) },
      gap: gapIn(this.#connected.toSorted((a, b) => a - b)),
      closedIdle: idle.closed - this.#idle.closed,
      resetIdle: idle.reset - this.#idle.reset,
      serials: this.#serials,
      versions: this.#versions,
    }
  }
}

const idleOf = (lines: Line[]) => ({
  closed: lines.reduce((sum, { closedIdle }) => sum + closedIdle, 0),
  reset: lines.reduce((sum, { resetIdle }) => sum + resetIdle, 0),
})

function gapIn(connected: number[]): { ms: number; from: number } {
  let longest = { ms: 0, from: connected[0] ?? 0 }
  for (const [n, at] of connected.entries()) {
    const from = connected[n - 1] ?? at
    if (at - from > longest.ms) longest = { ms: at - from, from }
  }
  return longest
}

/** The first and the last second are not whole. */
function slowestOf(counts: number[]): number {
  const whole = Array.from(counts, (count) => count ?? 0).slice(1, -1)
  const tens = whole.slice(9).map((_, n) => whole.slice(n, n + 10).reduce((sum, one) => sum + one, 0) / 10)
  return Math.min(...tens)
}
