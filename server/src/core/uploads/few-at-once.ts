/** Runs works side by side, at most so many: a sync to disk costs little when others share it. */
export function fewAtOnce(most: number) {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  const throwFailure = () => {
    if (failure) throw failure.error
  }
  return {
    /** Waits for a free place; throws what an earlier work threw. */
    async start(work: () => Promise<void>): Promise<void> {
      if (running.size >= most) await Promise.race(running)
      throwFailure()
      const job = work()
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => running.delete(job))
      running.add(job)
    },
    async finish(): Promise<void> {
      await Promise.all(running)
      throwFailure()
    },
  }
}
