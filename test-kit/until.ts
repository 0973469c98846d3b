const MOST_MS = 500

/**
 * Waits for a condition; never sleeps for a fixed time. `check` answers undefined or false for "not yet". It is asked again after as long
 * as its answer took, at least `everyMs` and at most half a second: the machine is left to what is waited for.
 */
export async function until<T>(
  what: string,
  deadlineMs: number,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  { everyMs = 25 }: { everyMs?: number } = {},
): Promise<T> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const asked = performance.now()
    const found = await check()
    const now = performance.now()
    if (found !== undefined && found !== false) return found
    if (now > end) throw new Error(`${what}: not within ${deadlineMs / 1000} s`)
    await new Promise((next) => setTimeout(next, Math.max(everyMs, Math.min(now - asked, MOST_MS))))
  }
}
