import { fault, type Place, quoted } from '../faults.ts'
import type { Budget } from '../limits.ts'
import { interpolate, type Lookup } from './interpolate.ts'

export type EnvFile = {
  text: string
  /** The file, and the key that names it. */
  place: Place
  /** Variables known from elsewhere; they win over those of the file. */
  lookup: Lookup
  budget: Budget
  missing(name: string): void
}

/** The variables of an env file, in compose's own dialect: quotes, `export`, comments, several lines, variables. */
export function parseEnvFile(file: EnvFile): Map<string, string> {
  const known = new Map<string, string>()
  const lookup: Lookup = (name) => file.lookup(name) ?? known.get(name)
  const text = file.text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  let from = 0
  while (from < text.length) {
    const statement = nextStatement(text, from, file)
    if (statement === undefined) break
    const { name, value, quote, end } = statement
    from = end
    if (value === undefined) {
      const inherited = file.lookup(name)
      if (inherited !== undefined) known.set(name, inherited)
    } else known.set(name, quote === "'" ? value : interpolate(value, { ...file, lookup }))
  }
  return known
}

/** Lines of `NAME=value`, taken as they are. */
export function parseRawEnvFile(text: string, lookup: Lookup): Map<string, string> {
  const known = new Map<string, string>()
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const equals = line.indexOf('=')
    const value = equals === -1 ? lookup(line.trim()) : line.slice(equals + 1)
    if (value !== undefined) known.set(equals === -1 ? line.trim() : line.slice(0, equals).trim(), value)
  }
  return known
}

type Statement = { name: string; value: string | undefined; quote: string | undefined; end: number }

function nextStatement(text: string, from: number, { place }: EnvFile): Statement | undefined {
  const start = skipToName(text, from)
  if (start >= text.length) return undefined
  const lineEnd = indexOrEnd(text, '\n', start)
  const line = text.slice(start, lineEnd)
  const stop = line.search(/[=:]/)
  const written = stop === -1 ? line : line.slice(0, stop)
  const name = written.replace(/^export\s+/, '').trim()
  const bad = /[^\p{L}\p{N}_.[\]-]/u.exec(name)?.[0]
  if (bad !== undefined || (name === '' && stop !== -1)) throw badName(place, text, start, name)
  if (stop === -1) return { name, value: undefined, quote: undefined, end: lineEnd }
  const valueStart = start + stop + 1 + (/^[ \t\v\f]*/.exec(line.slice(stop + 1))?.[0].length ?? 0)
  return { name, ...readValue(text, valueStart, lineEnd, place) }
}

/** Comments and empty lines are passed over. */
function skipToName(text: string, from: number): number {
  let start = from
  for (;;) {
    while (start < text.length && /\s/.test(text[start] as string)) start++
    if (text[start] !== '#') return start
    start = indexOrEnd(text, '\n', start)
  }
}

function readValue(text: string, start: number, lineEnd: number, place: Place): Omit<Statement, 'name'> {
  const quote = text[start]
  if (quote !== '"' && quote !== "'") {
    const line = text.slice(start, lineEnd)
    const comment = line.search(/ #/)
    return { value: (comment === -1 ? line : line.slice(0, comment)).trim(), quote: undefined, end: lineEnd }
  }
  let end = start + 1
  while (end < text.length && text[end] !== quote) end += text[end] === '\\' ? 2 : 1
  if (end >= text.length) {
    throw fault(place, `line ${lineAt(text, start)}: the quote that opens here never ends`, 'Close the quote.')
  }
  const inside = text.slice(start + 1, end)
  // What follows the quote on its line is read as the next statement, as compose does.
  return { value: quote === '"' ? unescaped(inside) : inside.replaceAll("\\'", "'"), quote, end: end + 1 }
}

const ESCAPES: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** An escaped dollar stays one when variables are filled in. */
function unescaped(inside: string): string {
  return inside.replaceAll(/\\([abfnrtv$"\\])/g, (_, letter: string) =>
    letter === '$' ? '$$' : (ESCAPES[letter] ?? letter),
  )
}

const badName = (place: Place, text: string, start: number, name: string) =>
  fault(
    place,
    `line ${lineAt(text, start)}: ${quoted(name)} is not the name of a variable`,
    'Write one NAME=value per line; names have letters, digits and underscores.',
  )

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length

function indexOrEnd(text: string, sought: string, from: number): number {
  const index = text.indexOf(sought, from)
  return index === -1 ? text.length : index
}
