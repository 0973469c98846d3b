import { setTimeout } from 'node:timers/promises'

/** Exponential backoff with jitter, so that many who were cut off at once do not come back at once. */
export const backoffMs = (attempt: number, { least = 200, most = 2000 } = {}): number =>
  Math.min(most, least * 2 ** attempt) * (0.5 + Math.random() / 2)

export const pause = (ms: number, signal: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal })

/** What `Retry-After` asks for, in seconds or as a date; bounded, because nobody sits before a terminal for an hour. */
export function retryAfterMs(header: string | null): number {
  if (header === null) return 0
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 30_000) : 0
}
