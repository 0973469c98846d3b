/**
 * How long the engine and the edge are waited for, by what is wanted of them: one table, for they follow from each other. What is waited for
 * longer than that counts as not come.
 */
export const DEADLINES = {
  /** A service that is rolled out or restarted. */
  forwardMs: 10 * 60_000,
  /** A job, from its first start on. */
  jobMs: 60 * 60_000,
  /** What has run before, on its way back: put back, settled, restored. */
  backMs: 3 * 60_000,
  /** A service that is still changing from what came before. */
  idleMs: 2 * 60_000,
  /** Containers on their way out: their grace period, and the engine's time beyond it. */
  freeMs: 10 * 60_000,
  /** An edge that is told where names lead when something failed. */
  edgeMs: 30_000,
  /** Containers and images of what came to nothing. */
  dropMs: 10_000,
  /** Of the five seconds that a cancel has been promised, for all that is undone together; at least `leastMs` for each. */
  promptMs: 3000,
  leastMs: 250,
}
