import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { ApiError } from '@slipway/contract/client'
import { EXIT, Failure } from '../failure.ts'
import { httpFor } from './node-http.ts'

type Body = Iterable<Uint8Array> | AsyncIterable<Uint8Array>
type Sent = { body: Body; type: string; size?: number; signal: AbortSignal; onMoved?(count: number): void }
export type Uploads = {
  /** Answers with the body of the answer; a refusal is thrown. */
  send(method: 'PUT' | 'POST', path: string, sent: Sent): Promise<unknown>
  close(): void
}
type Options = { url: string; headers: Record<string, string>; connections: number }

/** Nothing went out and no answer came for this long. */
const STALLED_MS = 120_000

/**
 * Sends bodies on a few connections that stay open, with backpressure. Not by fetch, which keeps what it sent of a stream, to send it
 * again after a redirect, and takes several times as much of the processor for a small body.
 */
export function openUploads({ url, headers, connections }: Options): Uploads {
  const by = httpFor(new URL(url))
  const agent = new by.Agent({ keepAlive: true, maxSockets: connections })
  return {
    send: async (method, path, { body, type, size, signal, onMoved }) => {
      signal.throwIfAborted()
      const length = size === undefined ? {} : { 'content-length': String(size) }
      const all = { ...headers, 'content-type': type, ...length }
      const request = by.request(new URL(path, url), { method, agent, headers: all, timeout: STALLED_MS, signal })
      request.once('timeout', () => request.destroy(new Error('Nothing moves.')))
      const answered = answerTo(request)
      answered.catch(() => {})
      try {
        // Only the body itself fails here: what the connection has to say is the answer.
        await write(request, body, onMoved)
      } catch (error) {
        request.destroy()
        throw error
      }
      return answered.catch((error: unknown) => {
        throw error instanceof ApiError || signal.aborted ? error : lost(url)
      })
    },
    close: () => agent.destroy(),
  }
}

const lost = (url: string) => new Failure(EXIT.unreachable, 'unreachable', `The connection to ${url} is lost.`)

async function write(request: ClientRequest, body: Body, onMoved?: (count: number) => void): Promise<void> {
  for await (const piece of body) {
    if (request.destroyed) return
    await written(request, piece)
    onMoved?.(piece.length)
  }
  request.end()
}

/** The piece has gone out, and its buffer may be used again; or it never will. */
const written = (request: ClientRequest, piece: Uint8Array) =>
  new Promise<void>((done) => {
    const go = () => {
      request.off('close', go)
      done()
    }
    request.on('close', go)
    request.write(piece, go)
  })

async function answerTo(request: ClientRequest): Promise<unknown> {
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const said = await text(answer)
  // It was answered before all was sent: a refusal, or it is known already. The rest is of no use.
  if (!request.writableEnded) request.destroy()
  const status = answer.statusCode ?? 0
  const body = parsed(said)
  if (status < 300 && body !== null) return body
  const unreadable = {
    success: false,
    error: `The server answered ${status}.`,
    code: 'internal',
    requestId: '',
  } as const
  throw new ApiError(status, typeof body?.code === 'string' ? (body as ApiError['body']) : unreadable)
}

function parsed(text: string): { code?: unknown } | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
