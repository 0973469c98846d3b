import type { Database } from '../../db/database.ts'
import type { Notifications } from '../../db/notifications.ts'
import { append, type EventType, type Fence, type NewEvent } from './events-store.ts'

const MOST_LINES = 500
const GATHER_MS = 50

/** Takes events as they come and stores them in batches, in order. `write` never waits; `flush` waits for all of them. */
export type EventWriter = {
  write(type: EventType, data: Record<string, unknown>, at?: Date): void
  flush(): Promise<void>
}

type Options = {
  db: Database
  changes: Notifications
  id: string
  fence: Fence
  redact(text: string): string
  onLost(): void
}

/** `onLost` is told when the run belongs to someone else by now: what came after that is dropped. */
export function eventWriter({ db, changes, id, fence, redact, onLost }: Options): EventWriter {
  let pending: NewEvent[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let lost = false

  const drain = async () => {
    while (pending.length > 0 && !lost) {
      const batch = pending.slice(0, MOST_LINES)
      lost = !(await append(db, id, fence, batch))
      pending = pending.slice(batch.length)
      if (lost) onLost()
      else changes.send(id)
    }
  }
  const schedule = () => {
    clearTimeout(timer)
    timer = undefined
    // A write that failed is tried again with the next one: what is pending stays pending.
    writing = writing.catch(() => {}).then(drain)
    return writing
  }
  return {
    write(type, data, at = new Date()) {
      if (lost) return
      pending.push({ type, at, data: clean(data, redact) })
      if (pending.length >= MOST_LINES) schedule().catch(() => {})
      else timer ??= setTimeout(() => schedule().catch(() => {}), GATHER_MS)
    },
    flush: schedule,
  }
}

/** Secrets may be printed by anyone: every text is cleaned before it is stored. */
function clean(data: Record<string, unknown>, redact: (text: string) => string): Record<string, unknown> {
  return JSON.parse(JSON.stringify(data), (_, value) =>
    typeof value === 'string' ? redact(value).replaceAll('\0', '�') : value,
  )
}
