import { randomBytes } from 'node:crypto'

/** Secrets that are like no other text, each with characters that some form or other must escape. */
export function secretMaker() {
  const made: string[] = []
  return {
    made,
    /** Where spaces, quotes and slashes may be. */
    any: () => keep(`${random()} "${random()}"/\\ü+%&`),
    /** Printable, and without a space. */
    plain: () => keep(`${random()}+/=%${random()}`),
    /** Something secret that others made. */
    note: (text: string) => keep(text),
  }

  function keep(text: string): string {
    made.push(text)
    return text
  }
}
export type SecretMaker = ReturnType<typeof secretMaker>

const random = () => randomBytes(12).toString('hex')

/** A text as it may show up: as it is, inside JSON, in an address, in hex, in base64 wherever it begins in what was encoded. */
function formsOf(secret: string): Buffer[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes, Buffer.alloc((3 - ((bytes.length + shift) % 3)) % 3)])
    // Without what neighbours share: the first characters and the last ones.
    const core = whole.toString('base64').slice(shift === 0 ? 0 : 4, (bytes.length + shift) % 3 === 0 ? undefined : -4)
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const escaped = JSON.stringify(secret).slice(1, -1)
  const encoded = encodeURIComponent(secret)
  const texts = [secret, escaped, encoded, encoded.replaceAll('%20', '+'), hex, hex.toUpperCase(), ...base64]
  return [...new Set(texts)].map((text) => Buffer.from(text))
}

/** Which secrets are in a text, in any of their forms. */
export const foundIn = (text: Buffer, secrets: string[]) =>
  secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)))
