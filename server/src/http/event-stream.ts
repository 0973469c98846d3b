import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StoredEvent } from '../core/deployments/events-store.ts'
import { type Turns, turns } from '../core/turns.ts'

/** What is sent: bytes as they come, until they end or the signal says so. */
export type Source = (signal: AbortSignal) => AsyncIterable<Uint8Array | string>
/** Only a text has an end of its own, and is worth waiting for on shutdown. */
export type Kind = 'events' | 'text' | 'endless text'

export type Streams = {
  /** What has to be found out before: however many viewers come at once, they do not crowd the database. */
  inLine: Turns
  send(reply: FastifyReply, source: Source, kind?: Kind): Promise<void>
}

const HEARTBEAT_MS = 12_000
/** A reader that takes nothing for this long is not there any more, whatever its connection says. */
const STUCK_MS = 5 * 60_000
/** Then it has to come back, and is asked again who it is. Not all at the same moment. */
const longest = () => (50 + 20 * Math.random()) * 60_000

/**
 * All streams of this process. A reader who is slow is waited for: what it has not taken is not piled up. Quiet lines are
 * kept alive, and on shutdown readers are told to come back, to another process.
 */
export function streams(draining: AbortSignal): Streams {
  const open = new Set<Stream>()
  const beat = () => {
    for (const stream of open) stream.beat()
  }
  let heart: NodeJS.Timeout | undefined
  draining.addEventListener('abort', () => {
    for (const stream of open) stream.leave()
  })
  return {
    inLine: turns(8),
    async send(reply, source, kind = 'events') {
      const stream = new Stream(begin(reply, kind), kind)
      open.add(stream)
      heart ??= setInterval(beat, HEARTBEAT_MS).unref()
      if (draining.aborted) stream.leave()
      try {
        await stream.pass(source)
      } finally {
        open.delete(stream)
        if (open.size === 0) heart = void clearInterval(heart)
      }
    },
  }
}

function begin(reply: FastifyReply, kind: Kind): ServerResponse {
  const out = reply.raw
  reply.hijack()
  // Events have an end of their own, and are the same bytes for all viewers: chunks would be made for each of them.
  if (kind === 'events') out.removeHeader('transfer-encoding')
  out.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': `text/${kind === 'events' ? 'event-stream' : 'plain'}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...(kind === 'events' && { connection: 'close' }),
  })
  out.flushHeaders()
  return out
}

/** Made once: an error for each of thousands that leave at the same moment is what would take the time. */
const LEFT = new Error('The reader left.')

class Stream {
  readonly #out: ServerResponse
  readonly #kind: Kind
  readonly #ended = new AbortController()
  readonly #until = Date.now() + longest()
  #stuckSince = 0

  constructor(out: ServerResponse, kind: Kind) {
    this.#out = out
    this.#kind = kind
    out.once('close', () => this.#ended.abort(LEFT))
  }

  async pass(source: Source): Promise<void> {
    const out = this.#out
    try {
      for await (const bytes of source(this.#ended.signal)) {
        if (out.destroyed) break
        if (!out.write(bytes)) await this.#drained()
      }
      out.end()
    } catch (error) {
      // A quiet end would look as if that was all.
      out.destroy()
      if (!this.#ended.signal.aborted) throw error
    }
  }

  #drained(): Promise<void> {
    this.#stuckSince = Date.now()
    return new Promise((done) => {
      const go = () => {
        this.#stuckSince = 0
        this.#out.off('drain', go).off('close', go)
        done()
      }
      this.#out.on('drain', go).on('close', go)
    })
  }

  beat(): void {
    const now = Date.now()
    if (this.#stuckSince > 0) {
      if (now - this.#stuckSince > STUCK_MS) this.#out.destroy()
    } else if (this.#kind !== 'events') return
    else if (now > this.#until) this.leave()
    else this.#out.write(': still here\n\n')
  }

  leave(): void {
    if (this.#kind === 'text') return
    // One that does not read would not hear it either.
    if (this.#stuckSince > 0) this.#out.destroy()
    else if (this.#kind === 'events') this.#out.write('retry: 1000\n\n')
    this.#ended.abort(LEFT)
  }
}

/** An event as it is sent. Its data is JSON already. */
export function encodeEvent({ seq, at, type, json }: StoredEvent): string {
  const more = json.length > 2 ? `, ${json.slice(1)}` : '}'
  return `id: ${seq}\nevent: ${type}\ndata: {"at": "${at.toISOString()}"${more}\n\n`
}

/** Where a reader wants to go on: the newer of what it asks for and what its last connection had seen. */
export function resumePoint(request: FastifyRequest, since: number | undefined): number {
  const last = Number(request.headers['last-event-id'] ?? 0)
  return Math.max(since ?? 0, Number.isSafeInteger(last) && last > 0 ? last : 0)
}
