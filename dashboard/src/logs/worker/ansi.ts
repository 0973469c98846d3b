/** A stretch of a line that is shown in one way: where it ends, a colour 0–15 or −1, and whether it is bold. */
export type Span = { end: number; colour: number; bold: boolean }
type Plain = { text: string; spans: Span[] | null }
type Look = { colour: number; bold: boolean }

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what escape sequences are made of
const SEQUENCE = /\x1b(?:\[([0-9;:?<=>]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_]|[ -/]+[0-~])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is left of them draws nothing, or a box
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g

/** Text without escape sequences, and what they said about colours. Everything else that they can say is dropped. */
export function plain(raw: string): Plain {
  const line = lastDrawn(raw)
  if (!line.includes('\x1b')) return { text: line.replace(CONTROL, ''), spans: null }
  const spans: Span[] = []
  let look: Look = { colour: -1, bold: false }
  let text = ''
  let from = 0
  const close = () => {
    if (text.length > (spans.at(-1)?.end ?? 0)) spans.push({ end: text.length, ...look })
  }
  for (const found of line.matchAll(SEQUENCE)) {
    text += line.slice(from, found.index).replace(CONTROL, '')
    from = found.index + found[0].length
    if (found[2] !== 'm') continue
    close()
    look = told(found[1] ?? '', look)
  }
  text += line.slice(from).replace(CONTROL, '')
  close()
  return { text, spans: spans.some(({ colour, bold }) => colour >= 0 || bold) ? spans : null }
}

/** A program that draws its progress over and over leaves only the last drawing. */
function lastDrawn(raw: string): string {
  const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
  const at = line.lastIndexOf('\r')
  return at < 0 ? line : line.slice(at + 1)
}

function told(codes: string, { colour, bold }: Look): Look {
  const numbers = codes.split(/[;:]/).map(Number)
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] as number
    if (code === 0) [colour, bold] = [-1, false]
    else if (code === 1) bold = true
    else if (code === 22) bold = false
    else if (code >= 30 && code <= 37) colour = code - 30
    else if (code >= 90 && code <= 97) colour = code - 82
    else if (code === 39) colour = -1
    // 256 colours or more: the first sixteen are known here, of the others the text stays as it is.
    else if (code === 38 || code === 48) {
      const of = numbers[at + 2] ?? -1
      if (code === 38) colour = numbers[at + 1] === 5 && of < 16 ? of : -1
      at += numbers[at + 1] === 5 ? 2 : 4
    }
  }
  return { colour, bold }
}
