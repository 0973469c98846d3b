import type { Page } from '@slipway/contract/pages'
import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { unknownCursor } from '../../page.ts'
import type { BaseParts } from '../../parts.ts'
import { requireDeployment } from '../rows/require-deployment.ts'
import { readRows } from './events-store.ts'
import type { History } from './history/history.ts'
import { type Line, lineOf } from './line.ts'
import type { LiveRedactors } from './live-redactors.ts'
import { linesBefore } from './log-window.ts'
import type { Redactors } from './redact/redactors.ts'
import { followRunning, readRunning } from './running-logs.ts'

export type LogQuery = {
  limit?: number | undefined
  cursor?: string | undefined
  kind: 'build' | 'runtime'
  service?: string | undefined
  format?: 'json' | 'text' | 'rows' | undefined
  /** The last so many lines; those before an event; those around it. */
  tail?: number | undefined
  before?: number | undefined
  around?: number | undefined
}
type Parts = Pick<BaseParts, 'db' | 'runtime' | 'keys' | 'config'> & {
  history: History
  redactors: Redactors
  liveRedactors: LiveRedactors
}

const DEFAULT_LINES = 1000
const PAGE_CHARACTERS = 4 * 1024 * 1024
/** So many events are looked at for one page, whoever's lines are wanted. */
const PAGE_EVENTS = 20_000
const READ = { events: 1000, bytes: 1024 * 1024 }
/** As text they cost a question more than they cost themselves: more at once, and no more bytes. */
const READ_ROWS = { ...READ, events: 5000 }

/** A page of what was printed: while building from the events, while running from the engine itself. */
export async function readLogs(
  parts: Parts,
  caller: Caller,
  id: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<LogPage> {
  const deployment = await requireDeployment(parts.db, caller, id)
  const limit = query.limit ?? DEFAULT_LINES
  refuseMixed(query)
  if (query.kind === 'runtime')
    return { data: await readRunning(parts, deployment, { ...query, limit }, signal), nextCursor: null }
  const end = Number(deployment.nextSeq) + 1
  if (query.around !== undefined) return around(parts, id, Math.min(query.around, end), { ...query, limit })
  const before = query.tail === undefined ? query.before : end
  if (before !== undefined) {
    const window = { before: Math.min(before, end), limit: query.tail ?? limit, service: query.service }
    const { lines, reached } = await linesBefore(parts.history, id, window)
    const nextCursor = query.tail === undefined ? cursorOf(window.before - 1) : null
    return { data: lines, nextCursor, before: olderThan(reached) }
  }
  return readAfter(parts, id, sinceOf(query), { ...query, limit })
}

/** `before`: where older lines are asked for; null: there are none. */
type LogPage = Page<Line> & { before?: number | null }
type Asked = { limit: number; service?: string | undefined }

/** The event in the middle, half of the lines before it, and the rest from it on. */
async function around(parts: Parts, id: string, seq: number, { limit, service }: Asked): Promise<LogPage> {
  const half = Math.floor(limit / 2)
  const none = { lines: [], reached: seq }
  const window = { before: seq, limit: half, service }
  const { lines, reached } = half === 0 ? none : await linesBefore(parts.history, id, window)
  const after = await readAfter(parts, id, seq - 1, { limit: limit - lines.length, service })
  return { ...after, data: [...lines, ...after.data], before: olderThan(reached) }
}

const olderThan = (reached: number) => (reached > 1 ? reached : null)

async function readAfter(parts: Parts, id: string, since: number, { limit, service }: Asked): Promise<Page<Line>> {
  const data: Line[] = []
  let characters = 0
  let seen = since
  for await (const lines of linesAfter(parts, id, since, service)) {
    for (const line of lines.data) {
      if (data.length === limit || characters > PAGE_CHARACTERS) return { data, nextCursor: cursorOf(seen) }
      data.push(line)
      characters += line.line.length
      seen = line.seq ?? seen
    }
    seen = lines.seen
    if (seen - since >= PAGE_EVENTS) return { data, nextCursor: cursorOf(seen) }
  }
  return { data, nextCursor: null }
}

/** All of it from the cursor on, or what the services print from their last lines on, for as long as someone reads. */
export async function openLogs(
  parts: Parts,
  caller: Caller,
  id: string,
  query: LogQuery & { follow: boolean; after?: string | undefined },
  signal: AbortSignal,
): Promise<(signal: AbortSignal) => AsyncIterable<Line[] | string>> {
  const deployment = await requireDeployment(parts.db, caller, id)
  refuseWindow(query)
  if (query.follow && query.format === 'rows')
    throw new Refusal('invalid_request', 'Rows have an end, and are not followed.', {
      field: 'format',
      hint: 'Follow it as text or as events.',
    })
  if (query.kind === 'runtime') {
    const wanted = { ...query, limit: query.limit ?? DEFAULT_LINES }
    if (query.follow) return followRunning(parts, deployment, wanted, signal)
    const lines = await readRunning(parts, deployment, wanted, signal)
    return async function* () {
      yield lines
    }
  }
  if (query.follow) {
    throw new Refusal('invalid_request', 'Only what services print can be followed here.', {
      field: 'follow',
      hint: `A build is followed with GET /api/deployments/${id}/stream.`,
    })
  }
  const since = sinceOf(query)
  if (query.format === 'rows' && query.limit === undefined && query.service === undefined)
    return () => rowsAfter(parts, id, since)
  return async function* () {
    let left = query.limit ?? Number.POSITIVE_INFINITY
    for await (const { data } of linesAfter(parts, id, since, query.service)) {
      yield data.slice(0, left)
      left -= data.length
      if (left <= 0) return
    }
  }
}

/** A window is of what was built, from one side. */
function refuseMixed({ kind, cursor, tail, before, around }: LogQuery): void {
  const named = Object.entries({ cursor, tail, before, around }).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  )
  const [first, second] = named.filter((name) => kind === 'build' || name !== 'cursor')
  if (first === undefined || (kind === 'build' && second === undefined)) return
  throw new Refusal(
    'invalid_request',
    second ? `${first} and ${second} do not go together.` : 'What runs has no numbers.',
    {
      field: second ?? first,
      hint: second ? 'Send one of them.' : 'Leave it out, or ask for kind=build.',
    },
  )
}

/** A text is read from its beginning or from a cursor. */
function refuseWindow({ tail, before, around }: LogQuery): void {
  const field = Object.entries({ tail, before, around }).find(([, value]) => value !== undefined)?.[0]
  if (field === undefined) return
  throw new Refusal('invalid_request', 'A part of the log is to be had as JSON only.', {
    field,
    hint: 'Leave format and follow out.',
  })
}

function sinceOf(query: LogQuery): number {
  if (query.cursor === undefined) return 0
  const key = Buffer.from(query.cursor, 'base64url').toString('utf8')
  if (!/^\d{1,15}$/.test(key)) throw unknownCursor()
  return Number(key)
}

const cursorOf = (seq: number) => Buffer.from(String(seq)).toString('base64url')

async function* linesAfter({ history }: Parts, id: string, since: number, service: string | undefined) {
  for (let seen = since; ; ) {
    const events = await history.after(id, seen, READ)
    const last = events.at(-1)
    if (!last) return
    seen = last.seq
    const wanted = (line: Line) => service === undefined || line.service === service || line.gap !== undefined
    yield {
      data: events
        .filter(({ type }) => type === 'log' || type === 'gap')
        .map(lineOf)
        .filter(wanted),
      seen,
    }
  }
}

/** All of a log, most of it as text that the database has written; the next part is asked for while one is sent. */
async function* rowsAfter(parts: Parts, id: string, since: number): AsyncIterable<Line[] | string> {
  let next = nextRows(parts, id, since)
  for (let part = await next; part; part = await next) {
    next = nextRows(parts, id, part.seen)
    // Whoever leaves does not wait for it.
    next.catch(() => {})
    yield part.data
  }
}

async function nextRows({ db, history }: Parts, id: string, since: number) {
  const rows = await readRows(db, id, since, READ_ROWS)
  if (rows?.first === since + 1) return { data: rows.text, seen: rows.last }
  // What lies in a file by now, or is gone, is found as always.
  const events = await history.after(id, since, READ)
  const last = events.at(-1)
  return last && { data: events.filter(({ type }) => type === 'log' || type === 'gap').map(lineOf), seen: last.seq }
}
