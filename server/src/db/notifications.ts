import type { Pool } from 'pg'

/**
 * "Something about this id changed", between processes. Sending is gathered for a moment and happens outside of the
 * writing transactions, because a commit that notifies takes a lock of the whole instance. A message may get lost:
 * whoever waits also looks by itself now and then.
 */
export type Notifications = {
  send(id: string): void
  /** Returns how to stop listening. */
  subscribe(id: string, changed: () => void): () => void
  close(): void
}

/** The one connection of this process that listens. */
type Listener = {
  listen(channel: string, heard: (payload: string) => void, onConnect: () => void): Promise<unknown>
}

const CHANNEL = 'slipway_changed'
const GATHER_MS = 20
const MOST_IDS = 200

type Options = { listener: Listener; pool: Pool; onError(error: Error): void }

export function notifications({ listener, pool, onError }: Options): Notifications {
  const listeners = new Map<string, Set<() => void>>()
  const pending = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let sent = 0
  let listening = false
  const heard = (payload: string) => {
    for (const id of payload.split(',')) for (const changed of listeners.get(id) ?? []) changed()
  }
  // What was said while nobody listened went unheard.
  const caughtUp = () => {
    for (const known of listeners.values()) for (const changed of known) changed()
  }
  const listen = async () => {
    if (listening) return
    listening = true
    await listener.listen(CHANNEL, heard, caughtUp).catch((error) => {
      // Whoever comes next tries again; until then all look by themselves.
      listening = false
      onError(error)
    })
  }
  const flush = () => {
    timer = undefined
    sent = performance.now()
    const ids = [...pending].slice(0, MOST_IDS)
    for (const id of ids) pending.delete(id)
    if (pending.size > 0) timer = setTimeout(flush, GATHER_MS)
    pool.query('select pg_notify($1, $2)', [CHANNEL, ids.join(',')]).catch(onError)
  }
  return {
    send(id) {
      pending.add(id)
      // After a quiet moment at once; whoever sends all the time is heard every so often.
      timer ??= setTimeout(flush, Math.max(0, sent + GATHER_MS - performance.now()))
    },
    subscribe(id, changed) {
      // With the first who wants to know: a process that nobody watches needs no connection for it.
      void listen()
      const known = listeners.get(id) ?? new Set()
      listeners.set(id, known.add(changed))
      return () => {
        known.delete(changed)
        if (known.size === 0 && listeners.get(id) === known) listeners.delete(id)
      }
    },
    close() {
      clearTimeout(timer)
    },
  }
}
