/** Terminal commands (CSI, OSC, two characters), control characters, and marks that take no room. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\0-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ANY = /[\0-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

export type Stripped = {
  text: string
  /** Where a character of it stands in the original. */
  origin(at: number): number
}

/** A text as a terminal would show it, all in one line; undefined where nothing in it is invisible. */
export function stripControls(original: string): Stripped | undefined {
  if (!ANY.test(original)) return undefined
  const origins: number[] = []
  const starts: number[] = []
  let text = ''
  let from = 0
  const keep = (to: number) => {
    if (to === from) return
    starts.push(text.length)
    origins.push(from)
    text += original.slice(from, to)
  }
  for (const { index, 0: found } of original.matchAll(INVISIBLE)) {
    keep(index)
    from = index + found.length
  }
  keep(original.length)
  return { text, origin: (at) => at + (origins[pieceAt(starts, at)] ?? 0) - (starts[pieceAt(starts, at)] ?? 0) }
}

/** The last piece that starts at or before a place, by halving. */
function pieceAt(starts: number[], at: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}
