import { type Semaphore, semaphore } from '../../core/semaphore.ts'
import { Refusal } from '../../errors.ts'

/** A semaphore with a bounded line in front: whoever finds it full is told to come back, and costs nothing. */
export function line(atOnce: number, most: number): Semaphore {
  const withPermit = semaphore(atOnce)
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
      return await withPermit(work)
    } finally {
      here--
    }
  }
}
