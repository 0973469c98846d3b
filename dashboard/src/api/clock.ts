/** How far the server's clock is ahead of this machine's: a laptop that is five minutes off must not say "in 5 min". */
let aheadMs = 0

/** `date`: the header of an answer. It has seconds alone, so what differs by less is no difference. */
export function noteServerTime(date: string | null, now: number = Date.now()): void {
  const said = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(said)) return
  const ahead = said - now
  aheadMs = Math.abs(ahead) < TOLERATED_MS ? 0 : ahead
}

/** A second of the header, and a slow answer. */
const TOLERATED_MS = 3000

/** Now, as the server would say it. */
export const serverNow = (): number => Date.now() + aheadMs
