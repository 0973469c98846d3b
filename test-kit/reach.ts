/**
 * Throws when the running test is of a kind that may not reach for this part. Kinds are told by imports (kinds.ts); this is the second
 * lock, for paths that are put together at run time and for programs that a test starts. vitest.config.ts sets the variable.
 */
export function assertReachable(part: string): void {
  const kind = process.env.SLIPWAY_TEST_KIND
  if (kind !== 'unit' && !(kind === 'database' && part !== 'postgres')) return
  throw new Error(
    `A ${kind} test reached for ${part}, which no import of its file shows, so "npm test" would run it where there is none. ` +
      `Import ${part === 'postgres' ? 'the test database' : 'lab/ask.ts'} by a plain import statement: that makes it a test of the right kind.`,
  )
}
