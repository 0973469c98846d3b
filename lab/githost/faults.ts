/** What can be made to go wrong. Everything is off by default; shares are between 0 and 1. */
export type Faults = {
  /** Before each answer of the API, the pages and git. */
  latencyMs: number
  /** Share of requests to the API and the pages that are answered with `errorStatus`. */
  errorShare: number
  errorStatus: number
  /** A regular expression: only paths that match meet the two above. Empty: all. */
  only: string
  /** Every connection is cut. Deliveries wait, as they do when the real host has trouble. */
  outage: boolean
  /** This many requests to the API run into the secondary limit. */
  secondaryNext: number
  retryAfterSeconds: number
  deliveries: DeliveryFaults
}

export type DeliveryFaults = {
  /** Never attempted, and not in the log either. */
  lose: number
  /** Failed before the receiver saw it; in the log as failed. */
  fail: number
  duplicate: number
  /** Held back by up to `delayMs`, so that later ones overtake it. */
  reorder: number
  badSignature: number
  delayMs: number
}

export const noFaults = (): Faults => ({
  latencyMs: 0,
  errorShare: 0,
  errorStatus: 502,
  only: '',
  outage: false,
  secondaryNext: 0,
  retryAfterSeconds: 60,
  deliveries: { lose: 0, fail: 0, duplicate: 0, reorder: 0, badSignature: 0, delayMs: 2000 },
})

export type Dice = { roll(): number; hits(share: number): boolean; seed(value: number): void }

/** Pseudo-random numbers (mulberry32): the same seed gives the same faults. */
export function createDice(): Dice {
  let state = 0x5eed
  const roll = () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const spread = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((spread ^ (spread >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    roll,
    // No roll where nothing can happen: faults that are off do not change the others' sequence.
    hits: (share) => share > 0 && roll() < share,
    seed: (value) => {
      state = value
    },
  }
}
