import { fault, type Place, quoted } from '../faults.ts'
import type { Budget } from '../limits.ts'

/** Looks a variable up; undefined means that it is not set. */
export type Lookup = (name: string) => string | undefined

export type Substitution = {
  lookup: Lookup
  place: Place
  budget: Budget
  /** Told of each variable that stands without a default and is not set. */
  missing(name: string): void
}

const MOST_NESTED = 30
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const OPERATOR = /:?[-+?]/y

/** `$NAME`, `${NAME}`, `${NAME:-default}` and the like filled in; `$$` becomes one dollar. */
export function interpolate(text: string, substitution: Substitution, depth = 0): string {
  if (!text.includes('$')) return text
  if (depth > MOST_NESTED) throw badFormat(substitution.place, text, `defaults are nested deeper than ${MOST_NESTED}`)
  const parts: string[] = []
  let from = 0
  for (let dollar = text.indexOf('$'); dollar !== -1; dollar = text.indexOf('$', from)) {
    parts.push(text.slice(from, dollar))
    const { value, end } = expand(text, dollar, substitution, depth)
    substitution.budget.spend('characters', value.length)
    parts.push(value)
    from = end
  }
  parts.push(text.slice(from))
  return parts.join('')
}

type Expanded = { value: string; end: number }

function expand(text: string, dollar: number, substitution: Substitution, depth: number): Expanded {
  const next = text[dollar + 1]
  if (next === '$') return { value: '$', end: dollar + 2 }
  if (next === '{') return braced(text, dollar, substitution, depth)
  const name = matchAt(NAME, text, dollar + 1)
  // A dollar that begins nothing is a dollar.
  if (name === '') return { value: '$', end: dollar + 1 }
  return { value: plainValue(name, substitution), end: dollar + 1 + name.length }
}

function plainValue(name: string, { lookup, missing }: Substitution): string {
  const value = lookup(name)
  if (value === undefined) missing(name)
  return value ?? ''
}

function braced(text: string, dollar: number, substitution: Substitution, depth: number): Expanded {
  const { place } = substitution
  const name = matchAt(NAME, text, dollar + 2)
  const after = dollar + 2 + name.length
  if (name !== '' && text[after] === '}') return { value: plainValue(name, substitution), end: after + 1 }
  const operator = matchAt(OPERATOR, text, after)
  const close = name === '' || operator === '' ? -1 : closing(text, dollar)
  if (close === -1) throw badFormat(place, text.slice(dollar), 'this is not a variable that can be read')
  // The rest is always read, needed or not: that is how compose finds a required variable inside of a default.
  const written = text.slice(after + operator.length, close)
  const rest = interpolate(written, substitution, depth + 1)
  const value = substitution.lookup(name)
  const given = operator.startsWith(':') ? value !== undefined && value !== '' : value !== undefined
  if (operator.endsWith('?') && !given) throw missingRequired(place, name, written)
  const chosen = operator.endsWith('+') ? (given ? rest : '') : given ? (value ?? '') : rest
  return { value: chosen, end: close + 1 }
}

/**
 * The brace that ends what begins at the dollar, on the same line. Any brace opens, and the character after an opening
 * one is not looked at, so that `${A:-{{x}}}` ends where compose ends it.
 */
function closing(text: string, dollar: number): number {
  let open = 0
  let last = -1
  for (let n = dollar; n < text.length && text[n] !== '\n'; n++) {
    if (text[n] === '}') last = n
    if (text[n] === '}' && --open === 0) return n
    if (text[n] === '{') {
      open++
      n++
    }
  }
  return last
}

function matchAt(pattern: RegExp, text: string, index: number): string {
  pattern.lastIndex = index
  return pattern.exec(text)?.[0] ?? ''
}

const badFormat = (place: Place, text: string, what: string) =>
  fault(
    place,
    `${what}: ${quoted(text)}`,
    'Write the name of a variable in braces, and $$ where a dollar itself is meant.',
  )

/** The message as it is written: filled in, it could show the value of another variable. */
const missingRequired = (place: Place, name: string, message: string) =>
  fault(
    place,
    `the variable ${name} is required but not set${message === '' ? '' : ` (${quoted(message)})`}`,
    `Set the variable ${name} in the project's variables or in the .env file of the source.`,
  )
