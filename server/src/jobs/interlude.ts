import { sql } from 'kysely'
import { URGENCY } from './enqueue.ts'
import type { Change } from './fenced.ts'

/**
 * Why an owner stops that has nothing to do for now, or no right to its worker: the run goes on later, with whoever takes
 * it up then. Its started steps are begun again, as after a shutdown.
 */
export class Interlude extends Error {
  override name = 'Interlude'
  readonly change: Change

  private constructor(change: Change) {
    super('The run goes on later.')
    this.change = { attempts: 0, ...change }
  }

  /** Holds its lane, but no worker, until then. */
  static rest(ms: number): Interlude {
    const wakeAt = sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1000})`
    return new Interlude({ status: 'parked', wakeAt })
  }

  /** Goes to the end of the usual line. */
  static usual(): Interlude {
    return new Interlude({ urgency: URGENCY.usual })
  }
}
