/** An instruction that names images or variables; `rest` is without the quotes and escapes that BuildKit drops. */
export type Instruction = { line: number; name: string; rest: string }

/** Lines are read again for each one they continue: a file of nothing but continuations would take for ever. */
const MOST_CHARACTERS = 5_000_000

/** One per line and escape character that such an instruction may begin at; null when the file is too long for that. */
export function instructionsOf(lines: string[]): Instruction[] | null {
  const found: Instruction[] = []
  let left = MOST_CHARACTERS
  for (const [n, line] of lines.entries()) {
    if (isSkipped(line)) continue
    for (const escapeWith of ['\\', '`']) {
      const { text, read } = joined(lines, n, escapeWith, left)
      left -= read
      if (left < 0) return null
      const [, name, rest = ''] = INSTRUCTION.exec(text) ?? []
      if (name !== undefined) found.push({ line: n + 1, name: name.toUpperCase(), rest })
      // Most lines hold no escape, and read the same with the other one.
      if (read === line.length + 1 && !line.trimEnd().endsWith('`')) break
    }
  }
  return found
}

const INSTRUCTION = /^\s*(?:ONBUILD\s+)*(FROM|COPY|ADD|RUN|ARG|ENV)\s+(.*)$/is

function joined(lines: string[], from: number, escapeWith: string, most: number): { text: string; read: number } {
  let text = ''
  let read = 0
  for (let n = from; n < lines.length && read <= most; n++) {
    const line = lines[n] ?? ''
    read += line.length + 1
    if (n > from && isSkipped(line)) continue
    const bare = line.trimEnd()
    const continues = bare.endsWith(escapeWith)
    text += continues ? bare.slice(0, -1) : line
    if (!continues) break
  }
  return { text: text.replace(/["'\\`]/g, ''), read }
}

/** Comments and empty lines, also between a line and its continuation. */
function isSkipped(line: string): boolean {
  return /^\s*(?:#|$)/.test(line)
}
