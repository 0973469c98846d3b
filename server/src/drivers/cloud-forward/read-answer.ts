import type { IncomingMessage } from 'node:http'
import { cloudFailure, type Deadlines, type Streamed } from './passage.ts'

const MOST_BYTES = 16 * 1024 * 1024

/** All of it or nothing: half an answer is none. One whose end nobody could tell from a break is not taken either. */
export async function readWhole(
  message: IncomingMessage,
  method: string,
  { stall, whole }: Deadlines,
): Promise<Buffer> {
  const { statusCode = 0, headers } = message
  const empty = statusCode === 204 || statusCode === 304 || method === 'HEAD'
  const ends = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  const late = () => message.destroy(cloudFailure('timeout', true))
  const timers = [setTimeout(late, stall), setTimeout(late, whole)]
  try {
    if (!empty && (!ends || Number(headers['content-length'] ?? 0) > MOST_BYTES)) throw new Error('not taken')
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of message as AsyncIterable<Buffer>) {
      timers[0]?.refresh()
      size += chunk.length
      if (size > MOST_BYTES) throw new Error('more than is taken')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    message.destroy()
    throw asFailure(error)
  } finally {
    for (const timer of timers) clearTimeout(timer)
  }
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
