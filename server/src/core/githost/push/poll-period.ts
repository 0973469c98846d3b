export type Signs = {
  /** When the hook of this head last told anything at all. */
  heardAt: Date | null
  /** When it told of this head. */
  hookAt: Date | null
  /** When a move was found that nobody had told. */
  silentAt: Date | null
  movedAt: Date | null
  now: Date
}

const DAY_MS = 24 * 3600_000
const MINUTE = 60

/** How often the host is asked where a branch is, in seconds: seldom where it tells by itself. Pure. */
export function pollPeriod({ heardAt, hookAt, silentAt, movedAt, now }: Signs): number {
  const age = (at: Date | null) => (at === null ? Number.POSITIVE_INFINITY : now.getTime() - at.getTime())
  const isSilent = silentAt !== null && (hookAt === null || hookAt < silentAt)
  if (Math.min(age(heardAt), age(hookAt)) < DAY_MS && !isSilent) return 15 * MINUTE
  const quiet = movedAt === null ? 0 : age(movedAt)
  if (quiet > 30 * DAY_MS) return 30 * MINUTE
  return quiet > 7 * DAY_MS ? 5 * MINUTE : MINUTE
}
