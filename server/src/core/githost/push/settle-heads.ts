import { setTimeout as sleep } from 'node:timers/promises'
import { databaseOutage } from '../../../errors.ts'
import { singleFlight } from '../../single-flight.ts'
import type { PushParts } from './ask-host.ts'
import { MOST, pollHeads } from './poll.ts'
import { hasten, whatIsDue } from './poll-store.ts'
import { HEADS_CHANGED } from './receive.ts'
import { sendReports } from './report.ts'
import { settle } from './settle.ts'

const AT_ONCE = 4
const LOOK_MS = 1000
const STOP_MS = 10_000

/**
 * Settles heads when a process says that something moved, and looks every second for what is due: heads to settle, to
 * poll, reports to send. Every working process does it; rows decide who gets which.
 */
export function startSettling(parts: PushParts): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const onError = (error: unknown) => {
    if (!signal.aborted && !(error instanceof Error && databaseOutage(error)))
      parts.log.error({ err: error }, 'push to deploy: something could not be done; it is tried again')
  }
  const settling = singleFlight(() => settleAll(parts, signal), onError)
  const polling = singleFlight(() => pollDue(parts, signal), onError)
  const reporting = singleFlight(() => sendReports(parts, signal), onError)
  const unsubscribe = parts.changes.subscribe(HEADS_CHANGED, settling.start)
  const look = async () => {
    const due = await whatIsDue(parts.db)
    if (due.heads) settling.start()
    if (due.polls) polling.start()
    if (due.reports) reporting.start()
  }
  const watching = watch(parts, look, signal, onError)
  return {
    async stop() {
      unsubscribe()
      stopping.abort()
      const all = Promise.all([watching, settling.ended(), polling.ended(), reporting.ended()])
      await Promise.race([all, sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}

/** After a start everything is polled once: what happened meanwhile was told to nobody. */
async function watch(
  parts: PushParts,
  look: () => Promise<void>,
  signal: AbortSignal,
  onError: (error: unknown) => void,
) {
  const startedAt = new Date()
  let from: Date | null = new Date(startedAt.getTime() + LOOK_MS * 60)
  while (!signal.aborted) {
    try {
      if (from !== null) from = await hasten(parts.db, from, startedAt)
      await look()
    } catch (error) {
      onError(error)
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}

/** Most of the time there is one; others join for as long as there is more: looking in vain costs as much as the work. */
async function settleAll(parts: PushParts, signal: AbortSignal): Promise<void> {
  let running = 0
  const failures: unknown[] = []
  const work = async (): Promise<void> => {
    const joined: Promise<void>[] = []
    running++
    try {
      for (let done = 0; !signal.aborted && (await settle(parts, signal)); done++)
        if (done > 0 && running < AT_ONCE) joined.push(work())
    } catch (error) {
      failures.push(error)
    }
    running--
    await Promise.all(joined)
  }
  await work()
  if (failures.length > 0) throw failures[0]
}

async function pollDue(parts: PushParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await pollHeads(parts, { signal })).heads === MOST);
}
