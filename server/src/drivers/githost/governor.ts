import { gitHostFailure } from './githost.ts'

/** Until when sources are to be left alone, for all processes. */
export type Blocks = { until(key: string): Promise<Date | null>; set(key: string, until: Date): Promise<void> }

type Quota = { limit: number; remaining: number; resetAt: number; strikes: number }
export type Seen = { status: number; headers: Record<string, string | number | undefined>; message: string }

/** Of the host's limit, what is left to people who wait for an answer. */
const KEPT_FOR_PEOPLE = 0.2
const MOST_SOURCES = 10_000
const MINUTE_MS = 60_000
const MOST_WAIT_MS = 60 * MINUTE_MS

/** Rate limiter per source: obeys what the host says about its limits, and never asks again before that. */
export function governor(blocks: Blocks, now: () => number = Date.now) {
  const quotas = new Map<string, Quota>()
  return {
    async admit(key: string, background: boolean): Promise<void> {
      const until = (await blocks.until(key))?.getTime() ?? 0
      if (until > now()) throw busy(new Date(until))
      const quota = quotas.get(key)
      if (!background || quota === undefined || quota.resetAt <= now()) return
      if (quota.remaining < quota.limit * KEPT_FOR_PEOPLE) throw busy(new Date(quota.resetAt))
    },
    /** Notes what an answer says of limits; the moment to wait for, where it was one. */
    async learn(key: string, seen: Seen): Promise<Date | null> {
      const before = quotas.get(key)
      const limited = isLimited(seen)
      const strikes = limited ? (before?.strikes ?? 0) + 1 : 0
      quotas.delete(key)
      quotas.set(key, { ...quotaIn(seen, before), strikes })
      if (quotas.size > MOST_SOURCES) quotas.delete(quotas.keys().next().value ?? '')
      if (!limited) return null
      const until = new Date(waitUntil(seen, strikes, now()))
      await blocks.set(key, until)
      return until
    },
  }
}

const numberOf = (value: string | number | undefined) => (value === undefined ? null : Number(value))

function quotaIn({ headers }: Seen, before: Quota | undefined): Omit<Quota, 'strikes'> {
  const limit = numberOf(headers['x-ratelimit-limit'])
  const remaining = numberOf(headers['x-ratelimit-remaining'])
  const reset = numberOf(headers['x-ratelimit-reset'])
  if (limit === null || remaining === null || reset === null) {
    return before ?? { limit: 0, remaining: 0, resetAt: 0 }
  }
  return { limit, remaining, resetAt: reset * 1000 }
}

/** 403 is also the host's word for "not allowed": a limit says so by a header or in words. */
export function isLimited({ status, headers, message }: Seen): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  return headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0' || /rate limit/i.test(message)
}

function waitUntil({ headers }: Seen, strikes: number, now: number): number {
  const seconds = numberOf(headers['retry-after'])
  if (seconds !== null && seconds >= 0) return now + seconds * 1000
  const reset = numberOf(headers['x-ratelimit-reset'])
  if (headers['x-ratelimit-remaining'] === '0' && reset !== null) return Math.max(now + 1000, reset * 1000)
  return now + Math.min(MOST_WAIT_MS, MINUTE_MS * 2 ** (strikes - 1))
}

export const busy = (retryAt: Date) =>
  gitHostFailure('busy', `The git host takes no more requests from this connection until ${retryAt.toISOString()}.`, {
    retryAt,
    hint: 'Wait until then; nothing is wrong with the connection.',
  })
