import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StoredEvent } from '../core/deployments/events/events-store.ts'

export const ROWS_TYPE = 'application/x-ndjson'

/** What is sent: bytes as they come, until they end or the signal says so. */
export type Source = (signal: AbortSignal) => AsyncIterable<Uint8Array | string>
/** Only a text and rows have an end of their own, and are worth waiting for on shutdown. */
export type Kind = 'events' | 'text' | 'endless text' | 'rows'

const TYPES: Record<Kind, string> = {
  events: 'text/event-stream',
  text: 'text/plain',
  'endless text': 'text/plain',
  rows: ROWS_TYPE,
}

/** A reader that takes nothing for this long is not there any more, whatever its connection says. */
const STUCK_MS = 5 * 60_000
/** Then it has to come back, and is asked again who it is. Not all at the same moment. */
const longest = () => (50 + 20 * Math.random()) * 60_000

export function begin(reply: FastifyReply, kind: Kind): ServerResponse {
  const out = reply.raw
  reply.hijack()
  // Events have an end of their own, and are the same bytes for all viewers: chunks would be made for each of them.
  if (kind === 'events') out.removeHeader('transfer-encoding')
  out.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': `${TYPES[kind]}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...(kind === 'events' && { connection: 'close' }),
  })
  out.flushHeaders()
  return out
}

/** What a reader of text is told, who would otherwise take it for the last line there is. */
const LAST_WORDS = {
  denied: '[This connection ends here: the credential that it was opened with has ended, or what it showed is gone.]\n',
  late: '[This connection ends here because it has lasted for an hour. Ask again to go on.]\n',
}

/** Made once: an error for each of thousands that leave at the same moment is what would take the time. */
const LEFT = new Error('The reader left.')

/** One answer that goes on, with backpressure: a reader who is slow is waited for, and what it has not taken is not piled up. */
export class Stream {
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
        if (out.destroyed || this.#ended.signal.aborted) break
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
    if (this.#stuckSince > 0 && now - this.#stuckSince > STUCK_MS) this.#out.destroy()
    else if (now > this.#until) this.#finish('late')
    else if (this.#stuckSince === 0 && this.#kind === 'events') this.#out.write(': still here\n\n')
  }

  /** The process ends: only a text that has an end of its own is still read to it. */
  leave(): void {
    if (this.#kind !== 'text' && this.#kind !== 'rows') this.#finish(null)
  }

  /** Its reader may not see it any more. */
  deny(): void {
    this.#finish('denied')
  }

  #finish(why: keyof typeof LAST_WORDS | null): void {
    // One that does not read would not hear it either.
    // Words are no row, and may be inside of something compressed: it breaks off.
    if (this.#stuckSince > 0 || this.#kind === 'rows') this.#out.destroy()
    else if (this.#kind !== 'events') why && this.#out.write(LAST_WORDS[why])
    // Whoever is refused does not hear that it may come back.
    else if (why !== 'denied') this.#out.write('retry: 1000\n\n')
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
