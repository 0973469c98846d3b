import type { History } from './history/history.ts'
import { type Line, lineOf } from './line.ts'

type Window = {
  /** Lines of events with smaller numbers than that. */
  before: number
  limit: number
  service: string | undefined
}

const BLOCK = { events: 1000, bytes: 1024 * 1024 }
const MOST_CHARACTERS = 4 * 1024 * 1024
/** So many events are looked at for one window, whoever's lines are wanted. */
const MOST_EVENTS = 20_000

/**
 * The last lines before an event, oldest first: read from there backwards, so that the end of a long log costs what the end of a
 * short one does. `reached`: from where on everything was looked at; 1 is the beginning.
 */
export async function linesBefore(
  history: History,
  id: string,
  { before, limit, service }: Window,
): Promise<{ lines: Line[]; reached: number }> {
  let lines: Line[] = []
  let characters = 0
  let end = before
  while (end > 1 && before - end < MOST_EVENTS) {
    const begin = Math.max(1, end - BLOCK.events)
    const block = await blockOf(history, id, begin, end)
    const wanted = block.filter((line) => service === undefined || line.service === service || line.gap !== undefined)
    lines = joined(wanted, lines)
    characters += wanted.reduce((sum, { line }) => sum + line.length, 0)
    end = begin
    if (lines.length >= limit || characters > MOST_CHARACTERS) break
  }
  const shown = fitting(lines, limit)
  const isCut = shown.length < lines.length
  return { lines: shown, reached: isCut ? (shown[0]?.seq ?? end) : end }
}

/** The newest of them, and no more than may be sent at once. */
function fitting(lines: Line[], limit: number): Line[] {
  let characters = 0
  const last = lines.slice(-limit)
  const tooFar = last.findLastIndex(({ line }, at) => {
    characters += line.length
    return characters > MOST_CHARACTERS && at < last.length - 1
  })
  return last.slice(tooFar + 1)
}

/** The lines of events from `begin` up to, and without, `end`. */
async function blockOf(history: History, id: string, begin: number, end: number): Promise<Line[]> {
  const lines: Line[] = []
  for (let seen = begin - 1; seen < end - 1; ) {
    const events = await history.after(id, seen, { ...BLOCK, events: end - 1 - seen })
    const last = events.at(-1)
    if (!last) break
    seen = last.seq
    for (const event of events) {
      if (event.type !== 'log' && event.type !== 'gap') continue
      const line = lineOf(event)
      // What is no longer kept may go on behind the end; of that, nothing was asked.
      if (event.seq < end) lines.push(line)
      else if (line.gap) lines.push(gapLine({ ...line, gap: { ...line.gap, to: end - 1 } }))
    }
  }
  return lines
}

/** A gap that two blocks have a part of is one. */
function joined(older: Line[], newer: Line[]): Line[] {
  const [last, first] = [older.at(-1), newer[0]]
  if (!last?.gap || !first?.gap || last.gap.to + 1 !== first.gap.from) return [...older, ...newer]
  const one = gapLine({ ...first, gap: { from: last.gap.from, to: first.gap.to } })
  return [...older.slice(0, -1), one, ...newer.slice(1)]
}

const gapLine = (line: Line & { gap: { from: number; to: number } }): Line => ({
  ...line,
  seq: line.gap.to,
  line: `[events ${line.gap.from} to ${line.gap.to} are no longer kept]`,
})
