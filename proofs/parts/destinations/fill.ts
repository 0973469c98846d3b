import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { storageOpener } from '../../../server/src/drivers/storage/open.ts'
import type { StorageFailure, StoragePlace } from '../../../server/src/drivers/storage/storage.ts'

const KIB = 1024

/** Writes until nothing more fits, slowly where the other side counts late; returns how to take it away again. */
export async function fill(place: StoragePlace, pauseMs = 0): Promise<() => Promise<void>> {
  const opened = new AbortController()
  const signal = AbortSignal.timeout(180_000)
  const storage = await storageOpener.open(place, { signal: opened.signal, onHostKey: () => {} })
  const keys: string[] = []
  for (const bytes of [256 * KIB, 64 * KIB, 16 * KIB, 4 * KIB]) {
    for (let fits = true; fits && keys.length < 200; ) {
      const key = `filler-${keys.length}`
      fits = await storage.put(key, Readable.from([Buffer.alloc(bytes, 7)]), { signal }).then(
        () => true,
        (error: StorageFailure) => {
          if (error.code !== 'full' && error.code !== 'quota') throw error
          return false
        },
      )
      if (fits) keys.push(key)
      await pause(pauseMs)
    }
  }
  return async () => {
    const within = AbortSignal.timeout(30_000)
    await storage.deleteMany(keys, { signal: within })
    storage.close()
  }
}
