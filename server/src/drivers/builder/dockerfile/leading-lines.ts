/**
 * Takes the power from the lines before the first instruction. There a Dockerfile may name the program that reads it
 * (`# syntax=…`, also after `//` and in JSON), and that program runs outside of all limits and decides about caches and
 * networks. Whether a line is such a one is not for two parsers to agree on: the first line is made a comment that is
 * none, and BuildKit looks no further. Which character escapes is carried over. The number of lines stays.
 *
 * Works on bytes (as latin1): lines end at LF and nowhere else, as BuildKit's do.
 */
export function plainStart(bytes: Buffer): { bytes: Buffer } | { line: number; message: string } {
  const lines = bytes
    .toString('latin1')
    .replace(/^(?:\u00ef\u00bb\u00bf)+/, '')
    .split('\n')
  const first = lines.findIndex((line) => !/^[ \t\r]*(?:#|$)/.test(line))
  const begin = lines[first] ?? ''
  if (first >= 0 && !/^[ \t]*[A-Za-z]/.test(begin)) {
    return { line: first + 1, message: 'A Dockerfile begins with comments, then an instruction.' }
  }
  if (first === 0) return { bytes: Buffer.from(lines.join('\n'), 'latin1') }
  const escapes = escapeOf(lines)
  lines[0] = escapes === '`' ? '# escape=`' : '#'
  // Directives may follow each other.
  if (escapes === '`' && /^[ \t]*#/.test(lines[1] ?? '')) lines[1] = '#'
  return { bytes: Buffer.from(lines.join('\n'), 'latin1') }
}

const DIRECTIVE = /^#[ \t]*([a-z]+)[ \t]*=[ \t]*([^\n]+?)[ \t\r]*$/i

function escapeOf(lines: string[]): string {
  for (const [n, line] of lines.entries()) {
    if (n === 0 && line.startsWith('#!')) continue
    const [, name = '', value = ''] = DIRECTIVE.exec(line) ?? []
    if (name.toLowerCase() === 'escape') return value
    if (!/^(?:syntax|check)$/i.test(name)) break
  }
  return '\\'
}
