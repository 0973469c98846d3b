import fc from 'fast-check'
import { hostile, texts } from './values.ts'

export type Hostile = { canary: string; seed: number }

/** Texts that a field takes: no NUL, no broken Unicode, and whatever else the field asks for. */
export function sample(
  { canary, seed }: Hostile,
  count: number,
  fits: (text: string) => boolean = () => true,
  pattern?: string,
): string[] {
  const schema = { type: 'string', ...(pattern !== undefined && { pattern }) }
  const storable = (text: string) => !text.includes('\0') && text.isWellFormed() && fits(text)
  const random = fc.sample(texts(schema, canary).filter(storable), { numRuns: count, seed })
  return [...new Set([...hostile(canary).filter(storable), ...random])].slice(0, Math.max(count, 1))
}

/** Names that differ and fit a pattern. */
export function names({ seed }: Hostile, count: number, pattern: RegExp): string[] {
  const taken = new Set<string>()
  for (let more = 0; taken.size < count; more++)
    for (const name of fc.sample(fc.stringMatching(pattern, { size: 'small' }), { numRuns: count, seed: seed + more }))
      taken.add(name)
  return [...taken].slice(0, count)
}
