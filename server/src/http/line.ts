import { type Turns, turns } from '../core/turns.ts'
import { Refusal } from '../errors.ts'

/** A semaphore with a bounded line in front: whoever finds it full is told to come back, and costs nothing. */
export function line(atOnce: number, most: number): Turns {
  const inTurn = turns(atOnce)
  let here = 0
  return async (work) => {
    if (here >= most) {
      throw new Refusal('rate_limited', `More than ${most} requests wait for their turn.`, {
        retryAfter: 5,
        hint: 'Wait some seconds.',
      })
    }
    here++
    try {
      return await inTurn(work)
    } finally {
      here--
    }
  }
}
