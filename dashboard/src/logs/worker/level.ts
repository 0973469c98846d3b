export type Level = 'plain' | 'warn' | 'error'
export const LEVELS: Level[] = ['plain', 'warn', 'error']

/** Most lines say nothing of the kind: one look tells. */
const SUSPECT = /err|fatal|fail|exception|panic|warn|deprecat/i
const ERROR = /\b(?:error|fatal|failed|exception|panic)\b/i
const BEGINS = /^\W*(?:[\w.:]+\s*)?(?:error|fatal)\b/i
const WARNING = /\bwarn(?:ing)?\b|\bdeprecated\b/i
/** A count of none is good news. */
const NONE = /\b(?:0|no) (?:errors?|warnings?|failed)\b/gi

/** The place of its level in `LEVELS`. What speaks of an error is one where it begins so, or was printed as one. */
export function levelOf(text: string, isStderr: boolean): number {
  if (!SUSPECT.test(text)) return 0
  const said = text.replace(NONE, '')
  if (ERROR.test(said)) return isStderr || BEGINS.test(said) ? 2 : 1
  return WARNING.test(said) ? 1 : 0
}
