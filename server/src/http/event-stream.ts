import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type ServerEvent = { id: number; event: string; data: unknown }

const HEARTBEAT_MS = 12_000

/**
 * Sends batches of events as they come. Waits for a reader who is slow instead of piling up what it has not taken, keeps
 * a quiet line alive, and on shutdown tells the reader to come back to another process.
 */
export async function sendEvents(
  reply: FastifyReply,
  draining: AbortSignal,
  events: (signal: AbortSignal) => AsyncIterable<ServerEvent[]>,
): Promise<void> {
  const out = reply.raw
  const gone = new AbortController()
  out.once('close', () => gone.abort())
  const signal = AbortSignal.any([gone.signal, draining])
  reply.hijack()
  out.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  out.flushHeaders()
  const heartbeat = setInterval(() => out.writableNeedDrain || out.write(': still here\n\n'), HEARTBEAT_MS).unref()
  try {
    for await (const batch of events(signal)) {
      if (!out.write(batch.map(text).join(''))) await once(out, 'drain', { signal: gone.signal })
    }
    if (draining.aborted) out.write('retry: 1000\n\n')
  } catch (error) {
    if (!gone.signal.aborted) throw error
  } finally {
    clearInterval(heartbeat)
    out.end()
  }
}

const text = ({ id, event, data }: ServerEvent) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Where a reader wants to go on: the newer of what it asks for and what its last connection had seen. */
export function resumePoint(request: FastifyRequest, since: number | undefined): number {
  const last = Number(request.headers['last-event-id'] ?? 0)
  return Math.max(since ?? 0, Number.isSafeInteger(last) && last > 0 ? last : 0)
}
