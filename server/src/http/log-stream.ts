import { pipeline } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { visibleLine } from '@slipway/contract/visible-text'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Line } from '../core/deployments/events/line.ts'
import type { Kind, Source } from './event-stream.ts'

/** Text is rows already. */
type Lines = (signal: AbortSignal) => AsyncIterable<Line[] | string>

/** Lines as text that no terminal obeys, or exactly as they are in events whose id is the time of the line: a reader who comes back goes on behind it. */
export function linesAs(format: 'json' | 'text' | 'rows', follow: boolean, lines: Lines): [Source, Kind] {
  const encode = { json: eventOf, rows: rowOf, text: ({ line }: Line) => `${visibleLine(line)}\n` }[format]
  const source: Source = async function* (signal) {
    for await (const batch of lines(signal))
      if (batch.length > 0) yield typeof batch === 'string' ? batch : batch.map(encode).join('')
  }
  return [source, format === 'json' ? 'events' : format === 'rows' ? 'rows' : follow ? 'endless text' : 'text']
}

const eventOf = (line: Line) => `id: ${line.ts}\nevent: log\ndata: ${JSON.stringify(line)}\n\n`

/** Without names of fields, which would be most of a long log. */
const rowOf = ({ seq, ts, stream, step, service, line, gap }: Line) =>
  `${JSON.stringify([seq, ts, stream, step, service, line, ...(gap ? [gap] : [])])}\n`

/** A program that reads a log of a hundred thousand lines takes a tenth of it, where it says that it can. */
export function gzippedFor({ headers }: FastifyRequest, reply: FastifyReply, source: Source): Source {
  reply.header('vary', 'accept-encoding')
  if (!/(^|,)\s*gzip\s*(?!;\s*q=0(\.0*)?\s*(,|$))(;|,|$)/i.test(String(headers['accept-encoding'] ?? ''))) return source
  reply.header('content-encoding', 'gzip')
  return async function* (signal) {
    const gzip = createGzip({ level: constants.Z_BEST_SPEED })
    // What goes wrong comes out at the other end.
    pipeline(source(signal), gzip, () => {})
    yield* gzip
  }
}

/** The time of the last line that the reader's last connection had seen. */
export function lineSeen({ headers }: FastifyRequest): string | undefined {
  const last = headers['last-event-id']
  return typeof last === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(last) ? last : undefined
}
