import { Refusal } from '../../errors.ts'
import { semaphore } from '../semaphore.ts'

/** Runs looks at servers: each takes memory here and work there. */
export type ScanSemaphore = <T>(serverId: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>

const AT_ONCE = 4
const MOST_WAITING = 20

/** A few at a time in a process, and one of a server. */
export function scanSemaphore(): ScanSemaphore {
  const withPermit = semaphore(AT_ONCE)
  const busy = new Map<string, Promise<unknown>>()
  let waiting = 0
  return async (serverId, signal, work) => {
    if (waiting >= MOST_WAITING) throw tooMany()
    waiting++
    const before = busy.get(serverId) ?? Promise.resolve()
    const mine = before
      .catch(() => {})
      .then(() =>
        withPermit(async () => {
          signal.throwIfAborted()
          return work()
        }),
      )
    busy.set(serverId, mine)
    return mine.finally(() => {
      waiting--
      if (busy.get(serverId) === mine) busy.delete(serverId)
    })
  }
}

const tooMany = () =>
  new Refusal('rate_limited', 'Too many servers are being looked at.', {
    hint: 'Try again in a minute.',
    retryAfter: 60,
  })
