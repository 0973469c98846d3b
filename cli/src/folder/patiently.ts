import { ApiError } from '@slipway/contract/client'
import { EXIT, Failure } from '../failure.ts'
import { backoffMs, pause } from '../instance/pause.ts'

const TRIES = 5

/** Nothing answered, or nobody but a proxy: it may have happened, or not. */
export const isAway = (error: unknown): boolean =>
  error instanceof Failure
    ? error.exit === EXIT.unreachable
    : error instanceof ApiError && [429, 502, 503, 504].includes(error.status)

/** Repeats what does no harm when it happens twice, and what the transport cannot know that of. */
export async function patiently<T>(work: () => Promise<T>, signal: AbortSignal, tries = TRIES): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= tries || signal.aborted || !isAway(error)) throw error
      await pause(backoffMs(attempt), signal)
    }
  }
}
