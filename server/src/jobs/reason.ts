import type { RunReason } from '../db/tables.ts'
import { Refusal } from '../errors.ts'
import type { Pipeline } from './steps.ts'

const UNEXPECTED: RunReason = {
  code: 'internal',
  message: 'Something unexpected stopped this run.',
  hint: 'The server’s log has the details.',
}

/** A Refusal's words are meant for the caller; those of any other error may hold anything, so they stay in the log. */
export function reasonOf(error: unknown, step: string | undefined, pipeline: Pipeline): RunReason {
  const { message, hint, ...words } = wordsOf(error, pipeline)
  const said = { ...words, message: kept(message), ...(hint !== undefined && { hint: kept(hint) }) }
  return { ...said, ...(step !== undefined && { step }) }
}

/** Others may say what no database keeps; a run whose end cannot be written would be tried again and again. */
const kept = (text: string) => text.replaceAll('\0', ' ').toWellFormed()

function wordsOf(error: unknown, pipeline: Pipeline): RunReason {
  if (error instanceof Refusal) {
    const { code, message, details } = error
    return { code, message, ...(details.hint !== undefined && { hint: details.hint }) }
  }
  return error instanceof Error ? (pipeline.explain?.(error) ?? UNEXPECTED) : UNEXPECTED
}
