import { visibleLine } from '@slipway/contract/visible-text'
import type { FastifyRequest } from 'fastify'
import type { Line } from '../core/deployments/events/line.ts'
import type { Kind, Source } from './event-stream.ts'

type Lines = (signal: AbortSignal) => AsyncIterable<Line[]>

/** Lines as text that no terminal obeys, or exactly as they are in events whose id is the time of the line: a reader who comes back goes on behind it. */
export function linesAs(format: 'json' | 'text', follow: boolean, lines: Lines): [Source, Kind] {
  const encode = format === 'text' ? ({ line }: Line) => `${visibleLine(line)}\n` : eventOf
  const source: Source = async function* (signal) {
    for await (const batch of lines(signal)) if (batch.length > 0) yield batch.map(encode).join('')
  }
  return [source, format === 'json' ? 'events' : follow ? 'endless text' : 'text']
}

const eventOf = (line: Line) => `id: ${line.ts}\nevent: log\ndata: ${JSON.stringify(line)}\n\n`

/** The time of the last line that the reader's last connection had seen. */
export function lineSeen({ headers }: FastifyRequest): string | undefined {
  const last = headers['last-event-id']
  return typeof last === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(last) ? last : undefined
}
