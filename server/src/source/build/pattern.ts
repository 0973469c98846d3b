/**
 * Patterns of workspaces: `apps/*`, `packages/**`, and `!…` for what is not meant. Matched name by name and without
 * regular expressions: a pattern is someone else's text, and must not be able to keep us busy.
 */
export function matchesAny(patterns: string[], path: string): boolean {
  const names = path.split('/')
  const matched = (pattern: string) => matches(namesOf(pattern), names)
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!'))
  const unwanted = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  return wanted.some(matched) && !unwanted.some(matched)
}

const namesOf = (pattern: string) =>
  pattern.split('/').filter((name, at, all) => name !== '' && name !== '.' && !(name === '**' && all[at - 1] === '**'))

function matches(pattern: string[], names: string[]): boolean {
  // reached[n]: what stood before fits the first n names.
  let reached = names.map(() => false)
  reached.unshift(true)
  for (const part of pattern) {
    if (part === '**') {
      const from = reached.indexOf(true)
      reached = reached.map((_, n) => from >= 0 && n >= from)
      continue
    }
    reached = reached.map((_, n) => n > 0 && reached[n - 1] === true && matchesName(part, names[n - 1] ?? ''))
  }
  return reached.at(-1) === true
}

/** One name with `*` for any text: each piece where it first fits, the last one at the end. */
function matchesName(pattern: string, name: string): boolean {
  const [first = '', ...pieces] = pattern.split('*')
  const last = pieces.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false
  let at = first.length
  const end = name.length - last.length
  for (const piece of pieces) {
    const found = name.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
