import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Answered, BytesReader, Init } from '@slipway/contract/client'
import { httpFor } from './node-http.ts'

/** A connection, TLS included. Who does not answer at all would take the kernel two minutes. */
const CONNECT_MS = 10_000
/** The head of an answer, where no shorter time is asked for. */
const HEAD_MS = 300_000
/** Answers that have no body, whatever their headers say. */
const EMPTY = new Set([204, 205, 304])

/** The connection did not come about, or was cut; `begun` when that was in the middle of an answer. */
export class Lost extends Error {
  readonly code: string
  readonly begun: boolean
  constructor(cause: unknown, begun: boolean) {
    const { message, code = '' } = cause as NodeJS.ErrnoException
    super(message, { cause })
    this.name = 'Lost'
    this.code = code
    this.begun = begun
  }
}

type Options = {
  signal: AbortSignal
  /** What to throw where the body of an answer cannot be read to its end. */
  explain(error: unknown): unknown
}

/**
 * One request, as fetch would make it, without what fetch takes to load. Redirects are answers like others. Throws `Lost`, or the
 * reason of the signal. The text of an answer may be read more than once.
 */
export async function request(url: URL, init: Init, { signal, explain }: Options): Promise<Answered> {
  signal.throwIfAborted()
  const { method, body } = init
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const headers = { accept: '*/*', 'accept-encoding': 'identity', ...init.headers, ...length }
  const sent = httpFor(url).request(url, { method, headers, signal })
  const asThrown = (error: unknown, begun: boolean) => (signal.aborted ? signal.reason : new Lost(error, begun))
  const answer = headOf(sent, url.protocol === 'https:' ? 'secureConnect' : 'connect')
  sent.end(body)
  const message = await answer.catch((error: unknown) => {
    throw asThrown(error, false)
  })
  return answered(message, method === 'HEAD', (error) => explain(asThrown(error, true)))
}

const headOf = (sent: ClientRequest, connected: 'connect' | 'secureConnect') =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const within = (ms: number) => setTimeout(() => sent.destroy(new Error(`Nothing came within ${ms / 1000} s.`)), ms)
    let timer = within(CONNECT_MS)
    const wait = () => {
      clearTimeout(timer)
      timer = within(HEAD_MS)
    }
    sent.once('socket', (socket: Socket) => (socket.connecting ? socket.once(connected, wait) : wait()))
    sent.once('close', () => clearTimeout(timer))
    sent.once('response', (message) => {
      clearTimeout(timer)
      resolve(message)
    })
    // For as long as it lives: a connection that is cut later says so here as well.
    sent.on('error', reject)
  })

function answered(message: IncomingMessage, isHead: boolean, fail: (error: unknown) => unknown): Answered {
  const { statusCode: status = 0, headers } = message
  const isEmpty = isHead || EMPTY.has(status)
  // Nobody reads it, and until then the connection would be held, and the process with it.
  if (isEmpty) message.resume()
  message.on('error', () => {})
  const reader = readerOf(message, fail)
  let whole: Promise<string> | undefined
  const text = () => {
    whole ??= isEmpty ? Promise.resolve('') : textIn(reader)
    return whole
  }
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name) => [headers[name.toLowerCase()] ?? null].flat().join(', ') || null },
    body: isEmpty ? null : { getReader: () => reader },
    text,
    json: async () => JSON.parse(await text()),
  }
}

/** Piece by piece as they are asked for: what is not read is not sent. Who cancels closes the connection. */
function readerOf(message: IncomingMessage, fail: (error: unknown) => unknown): BytesReader {
  const pieces: AsyncIterator<Uint8Array, undefined> = message[Symbol.asyncIterator]()
  return {
    read: async () => {
      try {
        const { done = false, value } = await pieces.next()
        return { done, value }
      } catch (error) {
        throw fail(error)
      }
    },
    cancel: async () => void message.destroy(),
  }
}

async function textIn(reader: BytesReader): Promise<string> {
  const pieces: Uint8Array[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new TextDecoder().decode(Buffer.concat(pieces))
    if (value) pieces.push(value)
  }
}
