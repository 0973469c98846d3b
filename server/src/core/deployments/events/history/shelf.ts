import { semaphore } from '../../../semaphore.ts'

export type Shelf<T> = {
  /** What lies under the key, or what `make` makes of it, once for all who ask meanwhile. */
  take(key: string, make: () => Promise<T>): Promise<T>
}

type Options<T> = { mostBytes: number; atOnce: number; sizeOf(value: T): number; keeps(value: T): boolean }

/** Keeps what was used last, up to so many bytes, and makes no more than so many things at once. */
export function shelf<T>({ mostBytes, atOnce, sizeOf, keeps }: Options<T>): Shelf<T> {
  const withPermit = semaphore(atOnce)
  const making = new Map<string, Promise<T>>()
  // In the order of their last use.
  const kept = new Map<string, T>()
  let bytes = 0
  const keep = (key: string, value: T) => {
    if (!keeps(value)) return
    kept.set(key, value)
    bytes += sizeOf(value)
    for (const [oldest, one] of kept) {
      if (bytes <= mostBytes) break
      kept.delete(oldest)
      bytes -= sizeOf(one)
    }
  }
  return {
    async take(key, make) {
      const found = kept.get(key)
      if (found !== undefined) {
        kept.delete(key)
        kept.set(key, found)
        return found
      }
      const others = making.get(key)
      if (others) return others
      const made = withPermit(make)
      making.set(key, made)
      try {
        const value = await made
        keep(key, value)
        return value
      } finally {
        making.delete(key)
      }
    },
  }
}
