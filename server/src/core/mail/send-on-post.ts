import { setTimeout as sleep } from 'node:timers/promises'
import { databaseOutage } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import { singleFlight } from '../single-flight.ts'
import { MAIL_POSTED, type SendParts, sendDueMail } from './outbox.ts'

const STOP_MS = 10_000

/** Sends as soon as a process says that something was posted. What it does not hear, the schedule finds a little later. */
export function sendOnPost(parts: SendParts & Pick<BaseParts, 'changes'>): { stop(): Promise<void> } {
  if (parts.mailDoor === null) return { stop: async () => {} }
  const stopping = new AbortController()
  const { signal } = stopping
  const onError = (error: unknown) => {
    if (!signal.aborted && !(error instanceof Error && databaseOutage(error)))
      parts.log.error({ err: error }, 'mail could not be looked for; it is tried again')
  }
  const sending = singleFlight(() => sendDueMail(parts, signal), onError)
  const unsubscribe = parts.changes.subscribe(MAIL_POSTED, sending.start)
  return {
    async stop() {
      unsubscribe()
      stopping.abort()
      await Promise.race([sending.ended(), sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}
