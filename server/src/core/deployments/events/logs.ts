import type { Page } from '@slipway/contract/pages'
import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { unknownCursor } from '../../page.ts'
import type { BaseParts } from '../../parts.ts'
import { requireDeployment } from '../verbs/find.ts'
import type { StoredEvent } from './events-store.ts'
import type { History } from './history/history.ts'
import type { Line } from './line.ts'
import type { LiveRedactors } from './live-redactors.ts'
import type { Redactors } from './redact/redactors.ts'
import { followRunning, readRunning } from './running-logs.ts'

export type LogQuery = {
  limit?: number | undefined
  cursor?: string | undefined
  kind: 'build' | 'runtime'
  service?: string | undefined
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

/** A page of what was printed: while building from the events, while running from the engine itself. */
export async function readLogs(
  parts: Parts,
  caller: Caller,
  id: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<Page<Line>> {
  const deployment = await requireDeployment(parts.db, caller, id)
  const limit = query.limit ?? DEFAULT_LINES
  if (query.kind === 'runtime')
    return { data: await readRunning(parts, deployment, { ...query, limit }, signal), nextCursor: null }
  const since = sinceOf(query)
  const data: Line[] = []
  let characters = 0
  let seen = since
  for await (const lines of linesAfter(parts, id, since, query.service)) {
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
): Promise<(signal: AbortSignal) => AsyncIterable<Line[]>> {
  const deployment = await requireDeployment(parts.db, caller, id)
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
  return async function* () {
    let left = query.limit ?? Number.POSITIVE_INFINITY
    for await (const { data } of linesAfter(parts, id, since, query.service)) {
      yield data.slice(0, left)
      left -= data.length
      if (left <= 0) return
    }
  }
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

function lineOf({ seq, at, type, json }: StoredEvent): Line {
  const data = JSON.parse(json)
  const ts = at.toISOString()
  if (type === 'gap') {
    const line = `[events ${data.from} to ${data.to} are no longer kept]`
    return { seq, ts, stream: 'stderr', step: null, service: null, line, gap: { from: data.from, to: data.to } }
  }
  return {
    seq,
    ts,
    stream: data.stream === 'stderr' ? 'stderr' : 'stdout',
    step: typeof data.step === 'string' ? data.step : null,
    service: typeof data.service === 'string' ? data.service : null,
    line: String(data.line ?? ''),
  }
}
