const DAYS = 7
const WEEKS = 4
const DAY_MS = 24 * 3600_000
/** The first Monday of the epoch: weeks are counted from it. */
const MONDAY_MS = 4 * DAY_MS

/** `20260701T030405Z.slipway`, in a folder that is named after the instance: two of them may share a destination. */
export const nameAt = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.slipway`

/** When a backup with such a name was made; null: we have not named it. */
export function madeAt(name: string): Date | null {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.slipway$/.exec(name) ?? []
  if (year === undefined) return null
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at.getTime()) || nameAt(at) !== name ? null : at
}

/**
 * Which of these names may go: all but the newest of each of the last seven days, and of each of the last four weeks, that have
 * one, in UTC. Days without a backup do not count, so that nothing goes because nothing came. What we have not named ourselves
 * stays, and so does `fresh`, whatever the clock says.
 */
export function superseded(names: readonly string[], fresh: string): string[] {
  const newestFirst = names
    .flatMap((name) => {
      const at = madeAt(name)
      return at === null ? [] : [{ name, ms: at.getTime() }]
    })
    .toSorted((a, b) => b.ms - a.ms)
  const firstOfEach = (periodOf: (ms: number) => number, most: number) => {
    const newest = new Map<number, string>()
    for (const { name, ms } of newestFirst) if (!newest.has(periodOf(ms))) newest.set(periodOf(ms), name)
    return [...newest.values()].slice(0, most)
  }
  const kept = new Set([
    fresh,
    ...firstOfEach((ms) => Math.floor(ms / DAY_MS), DAYS),
    ...firstOfEach((ms) => Math.floor((ms - MONDAY_MS) / (7 * DAY_MS)), WEEKS),
  ])
  return newestFirst.map(({ name }) => name).filter((name) => !kept.has(name))
}
