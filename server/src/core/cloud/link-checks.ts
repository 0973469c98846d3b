/** What this process has heard lately of whether credentials of links are still good. Nothing that could not be asked again. */
export type LinkChecks = {
  /** What is wrong with a link, asked at most once a minute; null: nothing. */
  problemOf(linkId: string, ask: () => Promise<string | null>): Promise<string | null>
}

const FRESH_MS = 60_000
const MOST_KEPT = 10_000

export function linkChecks(now: () => number = Date.now): LinkChecks {
  const known = new Map<string, { at: number; problem: Promise<string | null> }>()
  return {
    problemOf(linkId, ask) {
      const last = known.get(linkId)
      if (last && now() - last.at < FRESH_MS) return last.problem
      if (known.size >= MOST_KEPT) known.clear()
      const problem = ask()
      known.set(linkId, { at: now(), problem })
      // A fault of ours is no answer to keep.
      problem.catch(() => known.delete(linkId))
      return problem
    },
  }
}
