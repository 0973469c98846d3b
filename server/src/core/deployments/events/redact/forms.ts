import { stripControls } from './strip-controls.ts'

/** How a value looks when somebody prints it: as it is, encoded, inside a JSON string, without its line breaks. */
export function formsOf(secret: string): Set<string> {
  const bytes = Buffer.from(secret)
  return new Set([
    secret,
    stripControls(secret)?.text ?? secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...base64Of(bytes),
  ])
}

/** The same bytes look different at each offset of a longer encoded text; their middle part is stable. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const padded = shift === 0 ? bytes : Buffer.concat([Buffer.alloc(shift), bytes])
    const encoded = padded.toString('base64').replace(/=+$/, '')
    const stable = encoded.slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === 0 && shift === 0 ? undefined : -1)
    return stable.length >= 8 ? [stable, stable.replaceAll('+', '-').replaceAll('/', '_')] : []
  })
}

/** A value of several lines is printed line by line. */
export const linesOf = (secret: string): string[] =>
  secret
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= 8)
