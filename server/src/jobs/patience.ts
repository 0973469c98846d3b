import { setTimeout as delay } from 'node:timers/promises'
import { databaseOutage } from '../errors.ts'

const RETRY_MS = 300

/** Repeats `work` while the database is away, until `giveUp`. Only for work that may be repeated. */
export async function retryOnOutage<T>(giveUp: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (giveUp.aborted || !isOutage(error)) throw error
      await sleep(RETRY_MS, giveUp)
    }
  }
}

export const isOutage = (error: unknown): boolean => error instanceof Error && databaseOutage(error) !== undefined

/** Waits, or less if the signal says so. */
export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => {})

/** Waits for `work`, but no longer than this. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController()
  await Promise.race([work.finally(() => done.abort()), sleep(ms, done.signal)])
}

/** Does `work` again and again with a pause between, one at a time, until the signal. */
export async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work()
    await sleep(everyMs, signal)
  }
}
