/** All values that each name may have at some place of a Dockerfile. */
export type Variables = Map<string, Set<string>>

/** What a word may become. An open one is only the beginning: what follows cannot be told. */
export type Expansion = { text: string; open: boolean }

const UNKNOWN: Expansion = { text: '', open: true }
const EMPTY: Expansion = { text: '', open: false }
const MOST_EXPANSIONS = 64
const MOST_CHARACTERS = 1024
const MOST_DEPTH = 6
/** Values within values multiply; past this many steps for one Dockerfile all else counts as unknown. */
const MOST_STEPS = 5000

/**
 * Every text that a word with `$NAME`, `${NAME}`, `${NAME:-word}` or `${NAME:+word}` may become. More than BuildKit would
 * make of it on purpose: which of several values counts at which line is not asked, and a name may always be empty.
 */
export function expander(variables: Variables): (word: string) => Expansion[] {
  let steps = 0

  function expand(word: string, depth: number): Expansion[] {
    let found = [EMPTY]
    let rest = word.slice(0, MOST_CHARACTERS)
    while (rest !== '') {
      if (++steps > MOST_STEPS || depth > MOST_DEPTH) return append(found, [UNKNOWN])
      const { literal, variable, after } = nextPiece(rest)
      found = append(found, [{ text: literal, open: false }])
      if (variable !== undefined) found = append(found, valuesOf(variable, depth))
      rest = after
    }
    return word.length > MOST_CHARACTERS ? append(found, [UNKNOWN]) : found
  }

  function valuesOf(variable: string, depth: number): Expansion[] {
    const { name, operator, word } = partsOf(variable)
    // Patterns (`${NAME#word}`, `${NAME/a/b}`) and what is no variable at all.
    if (name === '' || (operator === '' && word !== '')) return [UNKNOWN]
    const own = [...(variables.get(name) ?? [])].flatMap((value) => expand(value, depth + 1))
    return [EMPTY, ...own, ...(operator === '' ? [] : expand(word, depth + 1))]
  }

  return (word) => expand(word, 0)
}

/** The text up to the next variable, the inside of that variable, and what stands behind it. */
function nextPiece(text: string): { literal: string; variable?: string; after: string } {
  const at = text.search(/\$(?:[A-Za-z_]|\{)/)
  if (at < 0) return { literal: text, after: '' }
  const literal = text.slice(0, at)
  const plain = /^\w+/.exec(text.slice(at + 1))?.[0]
  if (plain !== undefined) return { literal, variable: plain, after: text.slice(at + 1 + plain.length) }
  const end = closingBrace(text, at + 2)
  return { literal, variable: text.slice(at + 2, end), after: text.slice(end + 1) }
}

function closingBrace(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth === 0) return at
  }
  return text.length
}

function partsOf(variable: string): { name: string; operator: string; word: string } {
  const name = /^\w*/.exec(variable)?.[0] ?? ''
  const operator = /^:?[-+?]/.exec(variable.slice(name.length))?.[0] ?? ''
  return { name, operator, word: variable.slice(name.length + operator.length) }
}

function append(left: Expansion[], right: Expansion[]): Expansion[] {
  const distinct = new Map<string, Expansion>()
  for (const before of left) {
    for (const after of before.open ? [EMPTY] : right) {
      const whole = { text: before.text + after.text, open: before.open || after.open }
      distinct.set(`${whole.open} ${whole.text}`, whole)
      if (distinct.size > MOST_EXPANSIONS) return left.map(({ text }) => ({ text, open: true }))
    }
  }
  return [...distinct.values()]
}
