import { createHash } from 'node:crypto'

// When things are done. Nothing here looks at a clock or a database: a whole quarter can be played on paper.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * New orders that one account may place, as the largest public CA documents it: 300 in three hours. The last tenth is
 * left to people who ask, and to what would end otherwise.
 */
export const ORDER_WINDOW_MS = 3 * HOUR
export const MOST_ORDERS = 300
const PLANNED_ORDERS = 270
/** Names that have none yet leave some to certificates that are near their end. */
const NEW_ORDERS = 261
/**
 * Renewals have weeks of time: they leave some orders to names that have no certificate yet, and are spread at a pace that
 * uses the window evenly. A crowd would leave hours without room behind it.
 */
const RENEWALS = 252
export const PACE_MS = 20 * MINUTE
const PACED_RENEWALS = (RENEWALS * PACE_MS) / ORDER_WINDOW_MS
/** Runs at once, of all processes: they leave room for deployments. A few more are for what ends soon. */
export const MOST_RUNS = 4
const MORE_RUNS = 2

/**
 * Orders of a window that an organization has before it counts as loud, and how many first certificates all loud ones
 * together may get in one: whoever comes with a few names always finds room. Names cost nothing; the CA's limit is everybody's.
 */
export const FEW_ORDERS = 10
const LOUD_ORDERS = 180

/** Orders that were placed in the CA's window, and in the last part of it that the pace is measured by. */
export type Ordered = {
  inWindow: number
  lately: number
  /** Of these, first certificates beyond the few of each organization. */
  loud: number
  /** In the window, by organization. */
  own: ReadonlyMap<string, number>
}
export type Running = { all: number; own: ReadonlyMap<string, number> }

/** `ending`: long after its renewal was due. `new`: there is none yet. */
export type Need = 'ending' | 'new' | 'renewal'

export function needOf({ notBefore, notAfter }: { notBefore: Date | null; notAfter: Date | null }, now: number): Need {
  if (notBefore === null || notAfter === null) return 'new'
  const life = notAfter.getTime() - notBefore.getTime()
  return notAfter.getTime() - now < life / 6 ? 'ending' : 'renewal'
}

/** How many more of a kind may be placed now. `quiet`: for an organization that has had few; all are where there is only one. */
export function roomFor({ inWindow, lately, loud }: Omit<Ordered, 'own'>, need: Need, quiet: boolean): number {
  const room = {
    ending: (quiet ? MOST_ORDERS : PLANNED_ORDERS) - inWindow,
    new: Math.min(NEW_ORDERS - inWindow, quiet ? NEW_ORDERS : LOUD_ORDERS - loud),
    renewal: Math.min(RENEWALS - inWindow, PACED_RENEWALS - lately),
  }
  return Math.max(0, room[need])
}

/** `order`: the CA is asked; otherwise what it gave before is laid out at the edges. */
export type Wanting = { orgId: string; notAfter: Date | null; need: Need; order: boolean }
/** `alone`: one organization has the instance for itself. */
type Taken = { ordered: Ordered; running: Running; alone: boolean }

/**
 * Which run is next: what ends soon before what is new, and that before what has weeks; in each, the organizations in
 * turn, beginning with those that had least; of each what ends first. What the CA gave already needs no room there.
 */
export function nextRuns<T extends Wanting>(wanting: T[], { ordered, running, alone }: Taken): T[] {
  const chosen: T[] = []
  const placed = { all: 0, loud: 0, own: new Map<string, number>() }
  for (const one of byFairShare(wanting, ordered.own)) {
    const mine = placed.own.get(one.orgId) ?? 0
    const runs = (running.own.get(one.orgId) ?? 0) + mine
    const most = one.need === 'ending' && runs === 0 ? MOST_RUNS + MORE_RUNS : MOST_RUNS
    if (running.all + chosen.length >= most || (!alone && runs >= MOST_RUNS / 2)) continue
    const isFew = (ordered.own.get(one.orgId) ?? 0) + mine < FEW_ORDERS
    const now = { inWindow: ordered.inWindow + placed.all, lately: ordered.lately + placed.all }
    const loud = ordered.loud + placed.loud
    if (one.order && roomFor({ ...now, loud }, one.need, alone || isFew) === 0) continue
    chosen.push(one)
    placed.own.set(one.orgId, mine + 1)
    if (one.order) placed.all++
    if (one.order && one.need === 'new' && !isFew) placed.loud++
  }
  return chosen
}

/** Each with its place in the line of its organization, behind what that one had already. */
function byFairShare<T extends Wanting>(wanting: T[], had: ReadonlyMap<string, number>): T[] {
  const endOf = ({ notAfter }: Wanting) => notAfter?.getTime() ?? 0
  const rankOf = ({ need, order }: Wanting) => (need === 'ending' ? 0 : order ? (need === 'new' ? 2 : 3) : 1)
  const lines = new Map<string, number>()
  return wanting
    .toSorted((a, b) => rankOf(a) - rankOf(b) || endOf(a) - endOf(b))
    .map((one) => {
      const line = `${rankOf(one)} ${one.orgId}`
      const place = lines.get(line) ?? had.get(one.orgId) ?? 0
      lines.set(line, place + 1)
      return { one, rank: rankOf(one), place }
    })
    .sort((a, b) => a.rank - b.rank || a.place - b.place || endOf(a.one) - endOf(b.one))
    .map(({ one }) => one)
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

/** Exponential backoff with jitter: doubles with each failure; `random` from 0 to 1 spreads those that failed together. */
export function retryMs(code: string, failures: number, random: number): number {
  const [first, longest] = PATIENCE[code] ?? USUAL
  return Math.min(first * 2 ** Math.min(failures - 1, 20), longest) * (0.9 + random / 5)
}
