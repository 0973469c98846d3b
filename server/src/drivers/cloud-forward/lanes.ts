/** Calls to a cloud that wait in one process, and those that are meant to take long. One alone gets half of them. */
const MOST = { asking: 128, waiting: 1024 }
type Lane = keyof typeof MOST

export type Lanes = {
  /** Undefined where there is no room; returns how to leave. */
  enter(lane: Lane, whose: string): (() => void) | undefined
  isEmpty(): boolean
}

/**
 * Bulkhead with dynamic thresholds: whoever asks may hold as many places as are left free. So one alone can hold half, two a third each, and
 * however many take all they get, the next one who comes finds room.
 */
export function lanes(): Lanes {
  const all = { asking: 0, waiting: 0 }
  const own = { asking: new Map<string, number>(), waiting: new Map<string, number>() }
  return {
    enter(lane, whose) {
      const mine = own[lane].get(whose) ?? 0
      if (mine >= MOST[lane] - all[lane]) return undefined
      all[lane]++
      own[lane].set(whose, mine + 1)
      return () => {
        all[lane]--
        const left = (own[lane].get(whose) ?? 1) - 1
        if (left > 0) own[lane].set(whose, left)
        else own[lane].delete(whose)
      }
    },
    isEmpty: () => all.asking + all.waiting === 0,
  }
}
