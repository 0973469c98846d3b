const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long something took. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return ''
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`
  return roughly(ms)
}

/** How long ago, or how long until, in the largest unit that says something. */
function roughly(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.round(ms / SECOND))} s`
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`
  return `${Math.round(ms / DAY)} d`
}

export const since = (at: string | null, now = Date.now()): string =>
  at === null ? '' : roughly(Math.max(0, now - Date.parse(at)))

export const until = (at: string | null, now = Date.now()): string =>
  at === null ? '' : roughly(Math.max(0, Date.parse(at) - now))

/** A day as people write it: 13 Feb 2027. */
export const day = (at: string): string =>
  new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

export function bytes(count: number): string {
  const unit = count < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(count) / 3))
  const amount = count / 1000 ** unit
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[unit]}`
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
