import type { Connection } from './worker/follow-stream.ts'
import type { Level } from './worker/level.ts'
import type { Row, Want } from './worker/log-book.ts'

/**
 * Where a log comes from. `numbered`: all that there is as rows, then a stream that goes on behind a number and has an
 * end. `timed`: a stream whose lines have a time alone, and that goes on for as long as somebody reads.
 */
export type LogSource = { kind: 'numbered'; rows: string; stream: string } | { kind: 'timed'; stream: string }

/** What the page wants to know, each answered with a number or a text. */
export type Question =
  | { ask: 'match'; n: number }
  | { ask: 'matchAfter'; place: number }
  | { ask: 'placeOf'; seq: number }
  | { ask: 'seqAt'; place: number }
  | { ask: 'next'; level: Level; place: number }
  | { ask: 'text'; from: number; to: number }
  | { ask: 'around'; seq: number; count: number }
  | { ask: 'ping' }

export type Ask =
  | { ask: 'open'; source: LogSource }
  /** Nobody looks: the connection is let go. */
  | { ask: 'hold' }
  /** Somebody looks again, or the network is back. */
  | { ask: 'go on' }
  | { ask: 'want'; want: Want; version: number }
  | { ask: 'watch'; from: number; to: number; tail: boolean }
  | (Question & { id: number })

/** How the log stands, and the rows that are looked at. */
export type LogState = {
  version: number
  lines: number
  /** Lines in view. */
  size: number
  matches: number
  /** Not all lines have been looked at yet. */
  isSearching: boolean
  warnings: number
  errors: number
  lastSeq: number
  letGo: number
  services: string[]
  from: number
  rows: Row[]
}

/** What is not a line: status, step, service, prompt, decision, end. */
export type Happening = { type: string; data: Record<string, unknown> }

export type Tell =
  /** Without rows: those that are looked at are the same as before. */
  | { tell: 'state'; state: Omit<LogState, 'rows'> & { rows: Row[] | null } }
  | { tell: 'connection'; connection: Connection }
  | { tell: 'happenings'; happenings: Happening[] }
  | { tell: 'answer'; id: number; value: number | string }
