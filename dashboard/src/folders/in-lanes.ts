/** Does it for all, so many at a time, in order. The first failure ends it, when those that have begun are done. */
export async function inLanes<T>(lanes: number, all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const rest = all[Symbol.iterator]()
  let isFailed = false
  const lane = async () => {
    for (let next = rest.next(); !next.done && !isFailed; next = rest.next())
      await work(next.value).catch((error) => {
        isFailed = true
        throw error
      })
  }
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
