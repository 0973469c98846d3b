import type { TestDatabase } from '../../../test-kit/database.ts'

export type Push = { repoId: number; sha: string; order: number; at: number }

/** When the platform knew of each commit, and that a deployment waited then which builds it: looked at all the time. */
export function watchHeads({ pool }: Pick<TestDatabase, 'pool'>, everyMs: number) {
  const known = new Map<string, number>()
  const over = new AbortController()
  const look = async () => {
    const { rows } = await pool.query<{ sha: string }>(
      `select h.sha from githost_head h join project p on p.org_id = h.org_id and p.githost_repo_id = h.repo_id
       where h.sha is not null and exists (select 1 from deployment d where d.project_id = p.id and d.status = 'queued')`,
    )
    const now = Date.now()
    for (const { sha } of rows) if (!known.has(sha)) known.set(sha, now)
  }
  const loop = (async () => {
    while (!over.signal.aborted) {
      await look().catch(() => {})
      await new Promise((done) => setTimeout(done, everyMs))
    }
  })()
  return {
    /** From each push until it, or a later one of its branch, was known. */
    waits(pushes: Push[]): Map<string, number> {
      const byRepo = Map.groupBy(pushes, ({ repoId }) => repoId)
      const waits = new Map<string, number>()
      for (const all of byRepo.values()) {
        let knownAt = Number.POSITIVE_INFINITY
        for (const push of all.toSorted((a, b) => b.order - a.order)) {
          knownAt = Math.min(knownAt, known.get(push.sha) ?? Number.POSITIVE_INFINITY)
          waits.set(push.sha, Math.max(0, knownAt - push.at))
        }
      }
      return waits
    },
    async stop() {
      over.abort()
      await loop
    },
  }
}

export const at = (sorted: number[], share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
export const ascending = (all: number[]) => all.toSorted((a, b) => a - b)
