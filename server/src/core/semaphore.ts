export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** A counting semaphore: runs what it is given, at most so many at a time, in the order they came. */
export function semaphore(atOnce: number): Semaphore {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= atOnce) await new Promise<void>((next) => waiting.push(next))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
