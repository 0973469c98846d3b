import { createHash } from 'node:crypto'

// When things are done. Nothing here looks at a clock or a database: a whole quarter can be played on paper.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * New orders that one account may place, as the largest public CA documents it: 300 in three hours. The last tenth is
 * left to people who ask.
 */
export const ORDER_WINDOW_MS = 3 * HOUR
export const MOST_ORDERS = 300
const PLANNED_ORDERS = 270
/**
 * Renewals have weeks of time: they leave some orders to names that have no certificate yet, and are spread at a pace that
 * uses the window evenly. A crowd would leave hours without room behind it.
 */
const RENEWALS = 252
export const PACE_MS = 20 * MINUTE
const PACED_RENEWALS = (RENEWALS * PACE_MS) / ORDER_WINDOW_MS
/** Runs at once, of all processes: they leave room for deployments. */
export const MOST_RUNS = 4

/** Orders that were placed in the CA's window, and in the last part of it that the pace is measured by. */
export type Ordered = { inWindow: number; lately: number }

/** How many more the planner may place now. */
export function roomFor({ inWindow, lately }: Ordered, pressing: boolean): number {
  const room = pressing ? PLANNED_ORDERS - inWindow : Math.min(RENEWALS - inWindow, PACED_RENEWALS - lately)
  return Math.max(0, room)
}

type Life = { notBefore: Date | null; notAfter: Date | null }

/** There is none yet, or it is near its end: long after its renewal was due. */
export function isPressing({ notBefore, notAfter }: Life, now: number): boolean {
  if (notBefore === null || notAfter === null) return true
  return notAfter.getTime() - now < (notAfter.getTime() - notBefore.getTime()) / 6
}

/** `order`: the CA is asked; otherwise what it gave before is laid out at the edges. */
export type Wanting = { notAfter: Date | null; pressing: boolean; order: boolean }

/** Whose turn it is: first names that have none, then what ends soonest. What the CA gave already needs no room there. */
export function nextRuns<T extends Wanting>(wanting: T[], ordered: Ordered, running: number): T[] {
  const endOf = ({ notAfter }: Wanting) => notAfter?.getTime() ?? 0
  const chosen: T[] = []
  let placed = 0
  for (const one of wanting.toSorted((a, b) => endOf(a) - endOf(b))) {
    if (running + chosen.length >= MOST_RUNS) break
    const now = { inWindow: ordered.inWindow + placed, lately: ordered.lately + placed }
    if (one.order && roomFor(now, one.pressing) === 0) continue
    chosen.push(one)
    if (one.order) placed++
  }
  return chosen
}

/** A number from 0 to 1 that is the same for the same words: what is planned twice is planned alike. */
function fractionOf(words: string): number {
  return createHash('sha256').update(words).digest().readUInt32BE(0) / 2 ** 32
}

export type Lifetime = { host: string; serial: string; notBefore: Date; notAfter: Date }

/**
 * With a third of its life left, and up to a tenth of it earlier: what was issued together is not renewed together. Where
 * the CA suggests a window, somewhere in that.
 */
export function renewalMoment(
  { host, serial, notBefore, notAfter }: Lifetime,
  window: { from: Date; to: Date } | null = null,
): Date {
  const fraction = fractionOf(`${host} ${serial}`)
  if (window) return between(window.from.getTime(), window.to.getTime(), fraction)
  const life = notAfter.getTime() - notBefore.getTime()
  const latest = notAfter.getTime() - life / 3
  return between(latest - life / 10, latest, fraction)
}

const between = (from: number, to: number, fraction: number) => new Date(from + (to - from) * fraction)

/** A name that was set a moment ago is looked at often; who waits for days, less. */
export function lookAgainMs(waitedMs: number): number {
  if (waitedMs < HOUR) return 2 * SECOND
  return waitedMs < DAY ? MINUTE : 10 * MINUTE
}

/** For a name that has what it needs. */
export const QUIET_LOOK_MS = 6 * HOUR

/** How long a failure lasts at least, and at most, before the next try. CAs count failed proofs of a name: five in an hour. */
const PATIENCE: Record<string, [first: number, longest: number]> = {
  challenge_failed: [15 * MINUTE, 12 * HOUR],
  order_rejected: [HOUR, 24 * HOUR],
  account_refused: [10 * MINUTE, 6 * HOUR],
  rate_limited: [HOUR, 24 * HOUR],
}
const USUAL: [number, number] = [MINUTE, HOUR]

/** Doubles with each failure; `random` from 0 to 1 spreads those that failed together. */
export function retryMs(code: string, failures: number, random: number): number {
  const [first, longest] = PATIENCE[code] ?? USUAL
  return Math.min(first * 2 ** Math.min(failures - 1, 20), longest) * (0.9 + random / 5)
}
