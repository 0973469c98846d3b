import { Refusal } from '../../errors.ts'

const MOST_KEYS = 10_000

/** Rate limit in fixed windows, by a key and in this process: for what is dear to the git host. */
export function perMinute(most: number, what: string): (key: string) => void {
  const recent = new Map<string, { since: number; count: number }>()
  return (key) => {
    const now = Date.now()
    const known = recent.get(key)
    const window = known && now - known.since < 60_000 ? known : { since: now, count: 0 }
    recent.delete(key)
    recent.set(key, window)
    if (recent.size > MOST_KEYS) recent.delete(recent.keys().next().value ?? '')
    if (++window.count <= most) return
    throw new Refusal('rate_limited', `More than ${most} ${what} in a minute.`, {
      retryAfter: Math.ceil((window.since + 60_000 - now) / 1000),
      hint: 'Wait a moment; one token serves for as much as its hour allows.',
    })
  }
}
