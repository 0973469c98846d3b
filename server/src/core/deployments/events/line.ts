import type { LogLine } from '@slipway/contract/deployment-logs'
import type { z } from 'zod'

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
