import type { IncomingMessage } from 'node:http'
import { cloudFailure, type Deadlines, type Streamed } from './passage.ts'

const MOST_BYTES = 16 * 1024 * 1024

/** All of it or nothing: half an answer is none. One whose end nobody could tell from a break is not taken either. */
export function readWhole(message: IncomingMessage, method: string, { stall, whole }: Deadlines): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const late = () => message.destroy(cloudFailure('timeout', true))
    const [stalls, lasts] = [setTimeout(late, stall), setTimeout(late, whole)]
    const chunks: Buffer[] = []
    let size = 0
    // By its events: this is the way of every call, and a loop over the message is dear.
    message.on('data', (chunk: Buffer) => {
      stalls.refresh()
      size += chunk.length
      chunks.push(chunk)
      if (size > MOST_BYTES) message.destroy(new Error('more than is taken'))
    })
    message.on('error', (error) => reject(asFailure(error)))
    message.once('close', () => {
      clearTimeout(stalls)
      clearTimeout(lasts)
      // Whatever breaks it is told as an error before; without one it has ended.
      if (message.complete && message.readableEnded) resolve(Buffer.concat(chunks))
      else reject(asFailure(message.errored))
    })
    if (!endsVisibly(message, method)) message.destroy(new Error('not taken'))
  })
}

function endsVisibly({ statusCode = 0, headers }: IncomingMessage, method: string): boolean {
  if (statusCode === 204 || statusCode === 304 || method === 'HEAD') return true
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) <= MOST_BYTES
}

/** Backpressure: nothing is read that was not taken, and the time in which nobody takes it is not the cloud's. */
export function streamOf(message: IncomingMessage, { idle }: Deadlines): Pick<Streamed, 'chunks' | 'drop'> {
  // Until somebody reads it, an end of it is nobody's error.
  message.on('error', () => {})
  return { chunks: chunksOf(message, idle), drop: () => message.destroy() }
}

async function* chunksOf(message: IncomingMessage, idleMs: number): AsyncGenerator<Buffer> {
  const late = () => message.destroy(cloudFailure('timeout', true))
  let timer = setTimeout(late, idleMs)
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      clearTimeout(timer)
      yield chunk
      timer = setTimeout(late, idleMs)
    }
  } catch (error) {
    throw asFailure(error)
  } finally {
    clearTimeout(timer)
    message.destroy()
  }
}

const asFailure = (error: unknown) =>
  (error as { driver?: string }).driver === 'cloud' ? error : cloudFailure('broken_answer', true, error)
