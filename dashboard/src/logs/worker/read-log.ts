import type { Happening, LogSource } from '../log-messages.ts'
import { rowCutter, type StreamEvent } from './event-reader.ts'
import { type Connection, followStream, readText } from './follow-stream.ts'
import type { LogBook } from './log-book.ts'

type Options = {
  source: LogSource
  book: LogBook
  /** Something of it has come. */
  changed(): void
  happened(happening: Happening): void
  tell(connection: Connection): void
  nudges: EventTarget
}

/** Reads a log into its book. It may be left and gone on with: it goes on behind what is here. */
export function logReader({ source, book, changed, happened, tell, nudges }: Options) {
  const seen = { seq: 0, at: '', events: 0 }
  const takeNumbered = ({ id, type, data }: StreamEvent) => {
    const seq = Number(id)
    if (seq <= seen.seq) return
    seen.seq = seq
    seen.events++
    const said = JSON.parse(data)
    if (type === 'log' || type === 'gap') book.append({ ...lineOf(said, type === 'gap'), seq })
    else happened({ type, data: said })
    changed()
  }
  const takeTimed = ({ id, type, data }: StreamEvent) => {
    seen.at = id
    seen.events++
    const said = JSON.parse(data)
    if (type === 'log')
      book.append({ ...lineOf(said, false), seq: book.lastSeq + 1, isGap: said.release !== undefined })
    changed()
  }
  const takeRows = (rows: unknown[]) => {
    for (const row of rows as StoredRow[]) book.append(rowOf(row))
    seen.seq = Math.max(seen.seq, book.lastSeq)
    changed()
  }

  return async (signal: AbortSignal): Promise<void> => {
    const stream = { progress: () => seen.events, tell, signal, nudges }
    if (source.kind === 'timed') {
      const request = () => ({ url: source.stream, headers: seen.at === '' ? {} : { 'last-event-id': seen.at } })
      return followStream({ ...stream, request, take: takeTimed })
    }
    if (book.lines === 0) {
      tell({ state: 'reading' })
      // What is missing when it breaks off comes with the stream: that is asked for from where this ended.
      await readText({ url: source.rows }, rowCutter(takeRows), () => {}, signal).catch(() => {})
    }
    if (signal.aborted) return
    const request = () => ({ url: `${source.stream}?since=${seen.seq}` })
    return followStream({ ...stream, request, take: takeNumbered })
  }
}

type Said = {
  at?: string
  ts?: string
  step?: string | null
  service?: string | null
  stream?: string
  line?: string
  from?: number
  to?: number
}

const lineOf = ({ at, ts, step, service, stream, line, from, to }: Said, isGap: boolean) => ({
  at: Date.parse(at ?? ts ?? ''),
  step: step ?? null,
  service: service ?? null,
  isStderr: stream === 'stderr',
  line: isGap ? goneLine(from ?? 0, to ?? 0) : String(line ?? ''),
  isGap,
})

type StoredRow = [
  seq: number,
  ts: string,
  stream: string,
  step: string | null,
  service: string | null,
  line: string,
  gap?: { from: number; to: number },
]

const rowOf = ([seq, ts, stream, step, service, line, gap]: StoredRow) => ({
  seq,
  at: Date.parse(ts),
  step,
  service,
  isStderr: stream === 'stderr',
  line: gap ? goneLine(gap.from, gap.to) : line,
  isGap: gap !== undefined,
})

const goneLine = (from: number, to: number) =>
  `Lines ${from.toLocaleString('en')} to ${to.toLocaleString('en')} are no longer kept.`
