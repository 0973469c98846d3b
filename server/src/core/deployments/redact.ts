const MASK = '•••'
const SHORTEST = 4
const EVERYDAY =
  /^(?:\d{1,5}|true|false|none|null|undefined|production|development|staging|test|debug|info|warn|error|localhost|0\.0\.0\.0|127\.0\.0\.1)$/i
const LONGEST = 512

/**
 * Replaces every known secret value wherever it shows up: as it is, as base64, URL-encoded or inside a JSON string.
 * Very short values, ports and everyday words are left alone: they would mask half of every line and protect nothing.
 */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < SHORTEST || EVERYDAY.test(secret)) continue
    for (const form of formsOf(secret)) if (form.length >= SHORTEST) forms.add(form)
    // A value of several lines is printed line by line.
    for (const line of secret.split(/\r?\n/)) if (line.trim().length >= 8) forms.add(line.trim())
  }
  return forms.size === 0 ? (text) => text : masker([...forms].flatMap(piecesOf))
}

/** Looks at each place of a text once: a pattern of all forms would be too large for long or many values. */
function masker(forms: string[]): (text: string) => string {
  const byStart = new Map<string, string[]>()
  // Most places are told by two characters to be the start of nothing.
  const pairs = new Uint8Array(1 << 16)
  for (const form of forms.sort((a, b) => b.length - a.length)) {
    const start = form.slice(0, SHORTEST)
    byStart.set(start, [...(byStart.get(start) ?? []), form])
    pairs[pair(form.charCodeAt(0), form.charCodeAt(1))] = 1
  }
  const hitAt = (text: string, at: number) =>
    byStart.get(text.slice(at, at + SHORTEST))?.find((form) => text.startsWith(form, at))
  return (text) => {
    let shown = ''
    let kept = 0
    for (let at = 0; at <= text.length - SHORTEST; at++) {
      if (pairs[pair(text.charCodeAt(at), text.charCodeAt(at + 1))] === 0) continue
      const hit = hitAt(text, at)
      if (hit === undefined) continue
      // What follows a mask directly is mostly the next piece of the same value.
      if (at > kept || at === 0) shown += text.slice(kept, at) + MASK
      kept = at + hit.length
      at = kept - 1
    }
    return shown === '' ? text : shown + text.slice(kept)
  }
}

const pair = (first: number, second: number) => ((first << 8) ^ second) & 0xffff

/** A long value is looked for in pieces: comparing it whole at each place of a similar text would take for ever. */
function piecesOf(form: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < form.length; ) {
    const rest = form.length - at
    // No rest too short to be found.
    const length = rest < LONGEST + SHORTEST ? rest : LONGEST
    pieces.push(form.slice(at, at + length))
    at += length
  }
  return pieces
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].flatMap((shift) => {
    // The same bytes look different at each offset of a longer encoded text; their middle part is stable.
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const stable = encoded.slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === 0 && shift === 0 ? undefined : -1)
    return stable.length >= 8 ? [stable, stable.replaceAll('+', '-').replaceAll('/', '_')] : []
  })
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), bytes.toString('hex'), ...base64]
}
