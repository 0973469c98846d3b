import { plain, type Span } from './ansi.ts'
import { LEVELS, type Level, levelOf } from './level.ts'
import { type Pattern, patternOf } from './pattern.ts'

export type NewLine = {
  seq: number
  at: number
  step: string | null
  service: string | null
  isStderr: boolean
  line: string
  /** In place of lines that are no longer kept. */
  isGap?: boolean
}
export type Row = {
  seq: number
  at: number
  service: string
  level: Level
  isGap: boolean
  text: string
  spans: Span[] | null
  /** Where it has what is searched for. */
  marks: [number, number][] | null
}
/** Lines of these steps, or of all others. */
export type Steps = { are: string[] } | { areNot: string[] }
export type Want = { steps: Steps | null; service: string | null; find: string; only: boolean }

const EVERYTHING: Want = { steps: null, service: null, find: '', only: false }
/** A log that never ends lets go of its oldest lines here. */
const MOST_LINES = 400_000
const LET_GO = 100_000
const GAP = 4
const NAME_BITS = 14
const MOST_NAMES = 2 ** NAME_BITS

/**
 * All lines of a log, in columns: a hundred thousand objects would cost several times as much. A view is the lines that a
 * filter lets through, and knows which of them match what is searched for. Both grow as lines come; nothing is done twice.
 */
export class LogBook {
  #text: string[] = []
  #seq: number[] = []
  #at: number[] = []
  #where: number[] = []
  #spans: (Span[] | null)[] = []
  readonly #names: string[] = ['']
  readonly #numbers = new Map<string, number>()
  #want = EVERYTHING
  /** By the number of a name: whether its step is wanted. */
  #steps: boolean[] = []
  /** null: every line is in view. */
  #view: number[] | null = null
  /** Places in the view, in order. */
  #matches: number[] = []
  #pattern: Pattern | null = null
  /** So many lines have been looked at for the view. */
  #considered = 0
  readonly #services = new Set<string>()
  lastSeq = 0
  /** Of the oldest, that are not here any more. */
  letGo = 0
  counts = { warn: 0, error: 0 }

  get lines(): number {
    return this.#text.length
  }
  get size(): number {
    return this.#view?.length ?? this.#text.length
  }
  get matches(): number {
    return this.#matches.length
  }
  get services(): string[] {
    return [...this.#services]
  }

  /** False for a line that is here already: a stream that is taken up again may repeat itself. */
  append({ seq, at, step, service, isStderr, line, isGap = false }: NewLine): boolean {
    if (seq <= this.lastSeq) return false
    this.lastSeq = seq
    const { text, spans } = plain(line)
    const level = isGap ? 0 : levelOf(text, isStderr)
    if (level > 0) this.counts[level === 1 ? 'warn' : 'error']++
    if (service !== null) this.#services.add(service)
    this.#text.push(text)
    this.#seq.push(seq)
    this.#at.push(at)
    this.#spans.push(spans)
    this.#where.push((this.#named(step) << (NAME_BITS + 3)) | (this.#named(service) << 3) | (isGap ? GAP : level))
    if (this.lines > MOST_LINES) this.#forget(LET_GO)
    return true
  }

  want(want: Want): void {
    this.#want = want
    this.#pattern = patternOf(want.find)
    this.#steps = this.#names.map((name) => isWanted(want.steps, name))
    const isNarrowed = want.steps !== null || want.service !== null || (want.only && this.#pattern !== null)
    this.#view = isNarrowed ? [] : null
    this.#matches = []
    this.#considered = 0
  }

  /** Looks at what has not been looked at, until it is done (true) or the time is over. */
  advance(until: number): boolean {
    if (this.#view === null && this.#pattern === null) this.#considered = this.lines
    while (this.#considered < this.lines) {
      const stop = Math.min(this.lines, this.#considered + 1000)
      while (this.#considered < stop) this.#consider(this.#considered++)
      if (performance.now() > until) break
    }
    return this.#considered === this.lines
  }

  rows(from: number, to: number): Row[] {
    const rows: Row[] = []
    for (let place = Math.max(0, from); place < Math.min(to, this.size); place++)
      rows.push(this.#row(this.#lineAt(place)))
    return rows
  }

  /** The lines in view between two numbers, both with it. */
  text(from: number, to: number): string {
    const lines: string[] = []
    for (let place = this.placeOf(from); place < this.size; place++) {
      const line = this.#lineAt(place)
      if ((this.#seq[line] as number) > to) break
      lines.push(this.#text[line] as string)
    }
    return lines.join('\n')
  }

  /** The lines around one, whatever is in view. */
  around(seq: number, count: number): string {
    const middle = lowerBound(this.#seq, seq)
    const from = Math.max(0, middle - Math.floor(count / 2))
    return this.#text.slice(from, from + count).join('\n')
  }

  /** The place of the n-th match, counted around. */
  match(n: number): number {
    const count = this.#matches.length
    return count === 0 ? -1 : (this.#matches[((n % count) + count) % count] as number)
  }

  /** Of the first match at or after a place. */
  matchAfter(place: number): number {
    const found = lowerBound(this.#matches, place)
    return found === this.#matches.length ? 0 : found
  }

  /** Where a line is in the view, or the next one after it. */
  placeOf(seq: number): number {
    const line = lowerBound(this.#seq, seq)
    return this.#view === null ? line : lowerBound(this.#view, line)
  }

  seqAt(place: number): number {
    return this.#seq[this.#lineAt(place)] ?? 0
  }

  /** The place of the next line of that level after a place, counted around; −1 where there is none. */
  next(level: Level, after: number): number {
    const wanted = LEVELS.indexOf(level)
    for (let n = 1; n <= this.size; n++) {
      const place = (((after + n) % this.size) + this.size) % this.size
      if (((this.#where[this.#lineAt(place)] as number) & 7) === wanted) return place
    }
    return -1
  }

  #lineAt(place: number): number {
    return this.#view === null ? place : (this.#view[place] as number)
  }

  #consider(line: number): void {
    const { service, steps, only } = this.#want
    const where = this.#where[line] as number
    const isGap = (where & GAP) !== 0
    if (!isGap && steps !== null && this.#steps[where >>> (NAME_BITS + 3)] !== true) return
    if (!isGap && service !== null && this.#names[(where >>> 3) & (MOST_NAMES - 1)] !== service) return
    const isMatch = this.#pattern?.test(this.#text[line] as string) ?? false
    if (only && this.#pattern && !isMatch) return
    if (isMatch) this.#matches.push(this.#view?.length ?? line)
    this.#view?.push(line)
  }

  #row(line: number): Row {
    const where = this.#where[line] as number
    const text = this.#text[line] as string
    const isGap = (where & GAP) !== 0
    const marks = this.#pattern?.ranges(text) ?? []
    return {
      seq: this.#seq[line] as number,
      at: this.#at[line] as number,
      service: this.#names[(where >>> 3) & (MOST_NAMES - 1)] as string,
      level: isGap ? 'plain' : (LEVELS[where & 3] as Level),
      isGap,
      text,
      spans: this.#spans[line] ?? null,
      marks: marks.length > 0 ? marks : null,
    }
  }

  /** Steps and services are few: a number says which. A log that makes thousands of them up has no more names than these. */
  #named(name: string | null): number {
    if (name === null) return 0
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    if (this.#names.length === MOST_NAMES) return 0
    const number = this.#names.push(name) - 1
    this.#numbers.set(name, number)
    this.#steps[number] = isWanted(this.#want.steps, name)
    return number
  }

  #forget(count: number): void {
    for (const where of this.#where.slice(0, count)) {
      if ((where & 7) === 1) this.counts.warn--
      if ((where & 7) === 2) this.counts.error--
    }
    this.#text = this.#text.slice(count)
    this.#seq = this.#seq.slice(count)
    this.#at = this.#at.slice(count)
    this.#where = this.#where.slice(count)
    this.#spans = this.#spans.slice(count)
    this.letGo += count
    this.want(this.#want)
  }
}

const isWanted = (steps: Steps | null, name: string): boolean =>
  steps === null || ('are' in steps ? steps.are.includes(name) : !steps.areNot.includes(name))

function lowerBound(sorted: number[], value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}
