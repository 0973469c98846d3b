/** Whether a text has it, and where: pairs of start and end. */
export type Pattern = { test(text: string): boolean; ranges(text: string): [number, number][] }

const MOST_RANGES = 50

/** A regular expression is written between slashes. */
export const isRegex = (find: string): boolean => /^\/.+\/i?$/.test(find)

/** Lower case finds both; a capital means it; between slashes it is a regular expression. null: nothing is searched for. */
export function patternOf(find: string): Pattern | null {
  if (find === '') return null
  const regex = regexOf(find)
  if (regex) return byRegex(regex)
  return find === find.toLowerCase() ? byRegex(new RegExp(escaped(find), 'gi')) : byText(find)
}

/** One that is not finished yet is searched for as it is written. */
function regexOf(find: string): RegExp | null {
  const written = /^\/(.+)\/(i?)$/.exec(find)
  if (!written) return null
  try {
    return new RegExp(written[1] as string, `g${written[2]}`)
  } catch {
    return null
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

function byRegex(regex: RegExp): Pattern {
  // One with `g` remembers where it was.
  const once = new RegExp(regex.source, regex.flags.replace('g', ''))
  return {
    test: (text) => once.test(text),
    ranges(text) {
      const found: [number, number][] = []
      for (const { 0: piece, index } of text.matchAll(regex)) {
        if (piece !== '') found.push([index, index + piece.length])
        if (found.length === MOST_RANGES) break
      }
      return found
    },
  }
}

function byText(find: string): Pattern {
  return {
    test: (text) => text.includes(find),
    ranges(text) {
      const found: [number, number][] = []
      for (
        let at = text.indexOf(find);
        at >= 0 && found.length < MOST_RANGES;
        at = text.indexOf(find, at + find.length)
      )
        found.push([at, at + find.length])
      return found
    },
  }
}
