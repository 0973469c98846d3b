/**
 * A command line as words: quotes and backslashes mean what they mean in a shell, and nothing else does — no variable, no
 * pipe, no pattern. Null when a quote is not closed.
 */
export function splitCommand(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] as string
    const next = line[at + 1]
    if (quote !== null && sign === quote) quote = null
    else if (quote === "'") word += sign
    else if (sign === '\\' && next !== undefined && (quote === null || '"\\$`'.includes(next))) {
      word = (word ?? '') + next
      at++
    } else if (quote !== null) word += sign
    else if (sign === '"' || sign === "'") {
      quote = sign
      word ??= ''
    } else if (/\s/.test(sign)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + sign
  }
  if (quote !== null) return null
  return word === null ? words : [...words, word]
}
