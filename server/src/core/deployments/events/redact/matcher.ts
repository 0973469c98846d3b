import { randomInt } from 'node:crypto'

export const SHORTEST = 4
/** A longer form is known by windows of this length, one for every `STRIDE` characters and one for its end. */
const WINDOW = 32
const STRIDE = 16
/** Places of one window whose surroundings are compared; more of them are those of a value that repeats itself. */
const MOST_PLACES = 4

/** A text to look for. A sample is looked for by one window; all of the text in which it shows up counts as found. */
export type Form = { text: string; sample: boolean }
/** A stretch of a text, the end exclusive. */
export type Range = [from: number, to: number]

export type Matcher = {
  /** All stretches that are a form, a window of one, or the part of one around its window; in order, none touching. */
  find(text: string): Range[]
  /** Roughly, what it keeps in memory. */
  bytes: number
}

/**
 * Rabin–Karp over many patterns of 4 to 32 characters. A filter by four characters says which lengths may start at a
 * place; the hash of each is looked up, and what it finds is compared. Each place of a text costs at most one pass over
 * 32 characters, whatever the patterns are: hashes have a random base, so nobody can make values that collide.
 */
export function matcher(forms: Form[]): Matcher {
  const known = forms.filter(({ text }) => text.length >= SHORTEST)
  const count = known.reduce((sum, { text, sample }) => sum + (sample ? 1 : windows(text.length)), 0)
  const table = new Table(known, count)
  const filter = filterFor(count)
  known.forEach(({ text, sample }, form) => {
    const length = Math.min(text.length, WINDOW)
    const last = text.length - length
    for (let at = sample ? last : 0; at < last; at += STRIDE) addTo(table, filter, { form, at, length })
    addTo(table, filter, { form, at: last, length })
  })
  const characters = known.reduce((sum, { text }) => sum + text.length, 0)
  return {
    find: (text) => (count === 0 ? [] : findAll(text, table, filter)),
    bytes: 2048 + table.bytes + filter.lengths.byteLength + 2 * characters + 64 * known.length,
  }
}

const windows = (length: number) => (length <= WINDOW ? 1 : Math.ceil((length - WINDOW) / STRIDE) + 1)

/** A pattern: where it stands in a form. */
type Spot = { form: number; at: number; length: number }

const BASE = randomInt(1 << 20, 1 << 30) * 2 + 1
const SPREAD = 0x9e3779b1

/** The key of a hash: no two lengths share one by design. */
const keyOf = (hash: number, length: number) => Math.imul(hash ^ Math.imul(length, SPREAD), SPREAD)

/** Patterns by their hash, with open addressing: a few numbers each, and no object. */
class Table {
  readonly forms: Form[]
  readonly #shift: number
  readonly #keys: Int32Array
  /** The form's number plus one; 0: free. */
  readonly #forms: Int32Array
  readonly #ats: Int32Array
  readonly #samples: Uint8Array

  constructor(forms: Form[], count: number) {
    const bits = Math.max(4, Math.ceil(Math.log2(count * 2 + 1)))
    this.forms = forms
    this.#shift = 32 - bits
    this.#keys = new Int32Array(1 << bits)
    this.#forms = new Int32Array(1 << bits)
    this.#ats = new Int32Array(1 << bits)
    this.#samples = new Uint8Array(1 << bits)
  }

  get bytes(): number {
    return 13 * this.#keys.length
  }

  add({ form, at, length }: Spot): void {
    const { text, sample } = this.forms[form] as Form
    const key = keyOf(hashOf(text, at, length), length)
    let same = 0
    let slot = key >>> this.#shift
    for (; this.#forms[slot] !== 0; slot = this.#after(slot)) {
      if (!this.#is(slot, key, text, at, length)) continue
      if (sample) this.#samples[slot] = 1
      if (++same === MOST_PLACES) return
    }
    this.#keys[slot] = key
    this.#forms[slot] = form + 1
    this.#ats[slot] = at
    this.#samples[slot] = Number(sample)
  }

  /** How far the pattern that stands at this place of a text reaches, with what is around it in its forms. */
  reach(key: number, text: string, at: number, length: number): Range | undefined {
    let [from, to] = [at, at]
    for (let slot = key >>> this.#shift; this.#forms[slot] !== 0; slot = this.#after(slot)) {
      if (!this.#is(slot, key, text, at, length)) continue
      if (this.#samples[slot] === 1) return [0, text.length]
      const form = this.#formAt(slot)
      const start = this.#ats[slot] as number
      from = Math.min(from, at - sameBefore(text, at, form, start))
      to = Math.max(to, at + length + sameFrom(text, at + length, form, start + length))
    }
    return to > at ? [from, to] : undefined
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#keys.length - 1)
  }

  #formAt(slot: number): string {
    return (this.forms[(this.#forms[slot] as number) - 1] as Form).text
  }

  #is(slot: number, key: number, text: string, at: number, length: number): boolean {
    if (this.#keys[slot] !== key) return false
    const form = this.#formAt(slot)
    const start = this.#ats[slot] as number
    if (start + length > form.length) return false
    for (let n = 0; n < length; n++) if (form.charCodeAt(start + n) !== text.charCodeAt(at + n)) return false
    return true
  }
}

/** A part of a form begins and ends anywhere: less than a stride before its first window, and after its last one. */
function sameBefore(text: string, at: number, form: string, start: number): number {
  const most = form.length <= WINDOW ? 0 : Math.min(STRIDE - 1, at, start)
  let same = 0
  while (same < most && text.charCodeAt(at - same - 1) === form.charCodeAt(start - same - 1)) same++
  return same
}

function sameFrom(text: string, at: number, form: string, start: number): number {
  const most = Math.min(STRIDE - 1, text.length - at, form.length - start)
  let same = 0
  while (same < most && text.charCodeAt(at + same) === form.charCodeAt(start + same)) same++
  return same
}

function hashOf(text: string, at: number, length: number): number {
  let hash = 0
  for (let n = 0; n < length; n++) hash = (Math.imul(hash, BASE) + text.charCodeAt(at + n)) | 0
  return hash
}

/** By four characters, hashed: a bit for each length (less one) of the patterns that start with them. */
type Filter = { lengths: Int32Array; shift: number }

function filterFor(count: number): Filter {
  const bits = Math.min(19, Math.max(10, Math.ceil(Math.log2(count * 16 + 1))))
  return { lengths: new Int32Array(1 << bits), shift: 32 - bits }
}

function addTo(table: Table, { lengths, shift }: Filter, spot: Spot): void {
  table.add(spot)
  const { text } = table.forms[spot.form] as Form
  let gram = 0
  for (let n = 0; n < SHORTEST; n++) gram = (gram << 8) ^ text.charCodeAt(spot.at + n)
  const slot = Math.imul(gram, SPREAD) >>> shift
  lengths[slot] = (lengths[slot] as number) | (1 << (spot.length - 1))
}

function findAll(text: string, table: Table, { lengths, shift }: Filter): Range[] {
  const found: Range[] = []
  let gram = 0
  for (let at = 0; at < SHORTEST - 1 && at < text.length; at++) gram = (gram << 8) ^ text.charCodeAt(at)
  for (let at = 0; at <= text.length - SHORTEST; at++) {
    // Of characters further back, nothing is left after four shifts.
    gram = (gram << 8) ^ text.charCodeAt(at + SHORTEST - 1)
    const possible = lengths[Math.imul(gram, SPREAD) >>> shift] as number
    if (possible === 0) continue
    const reached = longestAt(text, at, possible, table)
    if (reached === undefined) continue
    join(found, reached)
    if (reached[0] === 0 && reached[1] === text.length) break
  }
  return found
}

const hashes = new Int32Array(WINDOW + 1)

/** The hashes of all lengths in one pass; then the longest that is really there. */
function longestAt(text: string, at: number, possible: number, table: Table): Range | undefined {
  const most = Math.min(WINDOW - Math.clz32(possible), text.length - at)
  let hash = 0
  for (let length = 1; length <= most; length++) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(at + length - 1)) | 0
    hashes[length] = hash
  }
  for (let length = most; length >= SHORTEST; length--) {
    if ((possible & (1 << (length - 1))) === 0) continue
    const reached = table.reach(keyOf(hashes[length] as number, length), text, at, length)
    if (reached) return reached
  }
  return undefined
}

/** Adds a stretch to those found so far, of which it may touch the last ones. */
export function join(found: Range[], [from, to]: Range): void {
  let joined: Range = [from, to]
  for (let last = found.at(-1); last && last[1] >= joined[0]; last = found.at(-1)) {
    joined = [Math.min(last[0], joined[0]), Math.max(last[1], joined[1])]
    found.pop()
  }
  found.push(joined)
}
