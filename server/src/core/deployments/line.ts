import type { LogLine } from '@slipway/contract/deployment-logs'
import type { z } from 'zod'

export type Line = z.output<typeof LogLine>

/** Nothing that anyone prints is kept or shown at a greater length; builders cut there already. */
const MOST_CHARACTERS = 16_384

export function shortened(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  return `${text.slice(0, MOST_CHARACTERS)}… (${text.length - MOST_CHARACTERS} more characters)`.toWellFormed()
}
