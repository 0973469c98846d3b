import type { LogLine } from '@slipway/contract/deployment-logs'
import type { z } from 'zod'
import type { StoredEvent } from './events-store.ts'

export type Line = z.output<typeof LogLine>

/** Nothing that anyone prints is kept or shown at a greater length; builders cut there already. */
const MOST_CHARACTERS = 16_384

/** So many more are looked at: a secret that begins before the end is known by its first characters. */
const BEYOND = 64

/** What is shown of a text: masked, and no longer than the others. What is cut off anyway is not looked at. */
export function shownLine(text: string, redact: (text: string) => string): string {
  const judged = redact(text.slice(0, MOST_CHARACTERS + BEYOND))
  if (text.length <= MOST_CHARACTERS) return judged
  // Masks are shorter than what they hide; what moves up for them may be the start of a secret.
  const shown = judged.slice(0, Math.min(MOST_CHARACTERS, judged.length - BEYOND))
  return `${shown}… (${text.length - MOST_CHARACTERS} more characters)`.toWellFormed()
}

/** A line of the log as it is shown, or words in place of events that are gone. */
export function lineOf({ seq, at, type, json }: StoredEvent): Line {
  const data = JSON.parse(json)
  const ts = at.toISOString()
  if (type === 'gap') {
    const line = `[events ${data.from} to ${data.to} are no longer kept]`
    return { seq, ts, stream: 'stderr', step: null, service: null, line, gap: { from: data.from, to: data.to } }
  }
  return {
    seq,
    ts,
    stream: data.stream === 'stderr' ? 'stderr' : 'stdout',
    step: typeof data.step === 'string' ? data.step : null,
    service: typeof data.service === 'string' ? data.service : null,
    line: String(data.line ?? ''),
  }
}
