/** A delivery that is not taken into account yet. A branch that is not there has no commit. */
export type Open = {
  id: string
  before: string | null
  after: string | null
  receivedAt: Date
  /** How often the host was asked about it. */
  attempts: number
}

export type Step = {
  /** Where the branch is now, as far as is known. */
  sha: string | null
  /** Deliveries that led there, the last of them last. */
  taken: Open[]
  /** What says nothing new. */
  known: { id: string; reason: string }[]
  /** What does not follow from anything: wait for the gap to fill, then ask the host. */
  left: Open[]
}

const GAP_MS = 2000
/** The host's API may lag behind its own deliveries. */
const ASK_AGAIN_MS = [2000, 10_000, 60_000]
const THERE = 'the branch was there already'
const OLDER = 'older than the head'

/** Follows deliveries from one commit to the next, in whatever order they came. Costs no request. */
export function follow(sha: string | null, open: Open[]): Step {
  const rest = open.toSorted((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime())
  const taken: Open[] = []
  for (let at = sha; ; ) {
    const next = rest.findIndex((one) => one.before === at && one.after !== at)
    const [step] = next < 0 ? [] : rest.splice(next, 1)
    if (step === undefined) return { sha: at, taken, ...sort(at, taken, rest) }
    taken.push(step)
    at = step.after
  }
}

function sort(sha: string | null, taken: Open[], rest: Open[]): Pick<Step, 'known' | 'left'> {
  // Two hooks may tell of the same move.
  const twice = (one: Open) => taken.some(({ before, after }) => before === one.before && after === one.after)
  const isKnown = (one: Open) => one.after === sha || twice(one)
  return {
    known: rest.filter(isKnown).map(({ id }) => ({ id, reason: THERE })),
    left: rest.filter((one) => !isKnown(one)),
  }
}

/** The host has been asked. Deliveries that lead to its answer are explained; `former`: commits the branch was at. */
export function land(answer: string | null, left: Open[], former: ReadonlySet<string>): Step {
  const taken: Open[] = []
  let rest = left
  const reached = new Set([answer])
  for (let found = 1; found > 0; ) {
    const leading = rest.filter(({ after }) => reached.has(after))
    rest = rest.filter(({ after }) => !reached.has(after))
    for (const one of leading) reached.add(one.before)
    taken.unshift(...leading)
    found = leading.length
  }
  const isOlder = ({ before, attempts }: Open) =>
    attempts > ASK_AGAIN_MS.length || (before !== null && (former.has(before) || reached.has(before)))
  return {
    sha: answer,
    taken,
    known: rest.filter(isOlder).map(({ id }) => ({ id, reason: OLDER })),
    left: rest.filter((one) => !isOlder(one)),
  }
}

/** When the host is to be asked about what is left over; null: nothing is. */
export function askAt(left: Open[]): Date | null {
  const times = left.map(({ receivedAt, attempts }) => {
    const wait = attempts === 0 ? GAP_MS : (ASK_AGAIN_MS[attempts - 1] ?? ASK_AGAIN_MS.at(-1) ?? 0)
    return receivedAt.getTime() + wait
  })
  return times.length === 0 ? null : new Date(Math.min(...times))
}
