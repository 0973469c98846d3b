import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import type { forward } from '../../core/cloud/forward.ts'
import { type Kind, ROWS_TYPE, type Source } from '../event-stream.ts'
import type { Streams } from '../open-streams.ts'
import { wholeEvents } from './whole-events.ts'

export type Answer = Awaited<ReturnType<typeof forward>>
type Whole = Extract<Answer, { body: Buffer }>
type Streamed = Exclude<Answer, Whole>
type Send = Parameters<Parameters<Streams['open']>[1]>[0]
type To = { reply: FastifyReply; send: Send; follows: boolean; log: FastifyBaseLogger }

/** Of the cloud's headers these come back; its id of the request is ours. */
const KEPT = ['content-type', 'content-encoding', 'etag', 'retry-after', 'idempotent-replayed']

const EVENTS = 'text/event-stream'
export const isStream = (type: string) => [EVENTS, 'text/plain', ROWS_TYPE].some((one) => type.startsWith(one))

export function sendWhole(reply: FastifyReply, { status, headers, body }: Whole): FastifyReply {
  for (const name of KEPT) if (headers[name] !== undefined) reply.header(name, headers[name])
  return reply.code(status).send(body.length === 0 ? undefined : body)
}

/** Goes through the same hands as streams of our own: backpressure, limits, and those who may not see it any more. */
export async function sendStream(
  { reply, send, follows, log }: To,
  { headers, chunks, drop }: Streamed,
): Promise<void> {
  const events = headers['content-type']?.startsWith(EVENTS) ?? false
  const rows = headers['content-type']?.startsWith(ROWS_TYPE) ?? false
  const kind: Kind = events ? 'events' : rows ? 'rows' : follows ? 'endless text' : 'text'
  const source: Source = async function* (signal) {
    signal.addEventListener('abort', drop, { once: true })
    try {
      yield* events ? wholeEvents(chunks) : chunks
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  // The reader sees that it broke; there is nobody left to answer.
  await send(reply, source, kind).catch((error: Error) => {
    if (!reply.raw.headersSent) throw error
    log.info({ requestId: reply.request.id, reason: error.message }, 'a stream of the cloud broke')
  })
}
