const MASK = '•••'
const SHORTEST = 4

/**
 * Replaces every known secret value wherever it shows up: as it is, as base64, URL-encoded or inside a JSON string.
 * Very short values are left alone: they would mask half of every line and protect nothing.
 */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue
    for (const form of formsOf(secret)) if (form.length >= SHORTEST) forms.add(form)
    // A value of several lines is printed line by line.
    for (const line of secret.split(/\r?\n/)) if (line.trim().length >= 8) forms.add(line.trim())
  }
  if (forms.size === 0) return (text) => text
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g')
  return (text) => text.replace(pattern, MASK)
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

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
