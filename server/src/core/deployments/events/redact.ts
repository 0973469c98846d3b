import { formsOf, linesOf } from './redact/forms.ts'
import { type Form, join, type Matcher, matcher, type Range, SHORTEST } from './redact/matcher.ts'
import { stripControls } from './redact/strip-controls.ts'

const MASK = '•••'
const EVERYDAY =
  /^(?:\d{1,5}|true|false|none|null|undefined|production|development|staging|test|debug|info|warn|error|localhost|0\.0\.0\.0|127\.0\.0\.1)$/i
/** Characters of secrets that are known whole, over all of them. */
export const BUDGET = 128 * 1024
/** Of a value beyond it, so many are known of every so many: also in hexadecimal some of each part that a long line is cut into. */
const SAMPLE = 48
const SPACING = 8000

/** All that is known of a value which was not read whole: its first characters, at least 48 of them. */
export type Head = { head: string }
export type Redactor = ((text: string) => string) & { bytes: number }

/**
 * Replaces every known secret value wherever it shows up: as it is, as base64, hexadecimal, URL-encoded or inside a JSON
 * string; also with terminal commands and control characters in between, and the parts of a long one (from 47 characters
 * on) that a line break or the end of a chunk has cut. Reversed, compressed, spelled or spaced out, it is not found.
 * Very short values, ports and everyday words are left alone: they would mask half of every line and protect nothing.
 *
 * Costs of a text grow with its length alone, costs of making this with `BUDGET`. Where a project has more, its longest
 * values are known by samples, and a line in which one of those shows up is masked whole.
 */
export function redactor(secrets: Iterable<string | Head>): Redactor {
  const forms: Form[] = []
  const samples = new Set<string>()
  const whole: string[] = []
  for (const secret of distinct(secrets)) {
    if (typeof secret !== 'string') samples.add(secret.head.slice(0, SAMPLE))
    else if (secret.length >= SHORTEST && !EVERYDAY.test(secret)) whole.push(secret)
  }
  let left = BUDGET
  for (const secret of whole.sort((a, b) => a.length - b.length)) {
    left -= secret.length
    if (left < 0 && secret.length > 2 * SAMPLE) for (const sample of samplesOf(secret)) samples.add(sample)
    else for (const text of new Set([...formsOf(secret), ...linesOf(secret)])) forms.push({ text, sample: false })
  }
  for (const sample of samples) for (const text of formsOf(sample)) forms.push({ text, sample: true })
  const known = matcher(forms)
  return Object.assign((text: string) => masked(text, known), { bytes: known.bytes })
}

/**
 * Most values come twice: as they are now, and frozen in a release. V8 hashes long strings by their length alone, so a
 * set of those would compare each with each.
 */
function* distinct(secrets: Iterable<string | Head>): Generator<string | Head> {
  const last = new Map<string, string>()
  for (const secret of secrets) {
    const value = typeof secret === 'string' ? secret : secret.head
    const key = value.length <= 256 ? value : `${value.length} ${value.slice(0, 64)} ${value.slice(-64)}`
    if (last.get(key) === value) continue
    last.set(key, value)
    yield secret
  }
}

function* samplesOf(secret: string): Generator<string> {
  for (let at = 0; at <= secret.length - SAMPLE; at += SPACING) yield secret.slice(at, at + SAMPLE)
}

function masked(text: string, known: Matcher): string {
  const found = known.find(text)
  const visible = stripControls(text)
  // What a terminal shows may be a secret though what it was sent is none.
  const ranges = visible ? union(found, known.find(visible.text), visible.origin) : found
  if (ranges.length === 0) return text
  let shown = ''
  let kept = 0
  for (const [from, to] of ranges) {
    shown += text.slice(kept, from) + MASK
    kept = to
  }
  return shown + text.slice(kept)
}

function union(found: Range[], stripped: Range[], origin: (at: number) => number): Range[] {
  if (stripped.length === 0) return found
  const all = [...found, ...stripped.map(([from, to]): Range => [origin(from), origin(to - 1) + 1])]
  const joined: Range[] = []
  for (const range of all.sort((a, b) => a[0] - b[0])) join(joined, range)
  return joined
}
