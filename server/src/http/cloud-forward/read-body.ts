import type { Endpoint } from '@slipway/contract/endpoint'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors.ts'

const USUAL_BYTES = 1024 * 1024

/**
 * The bytes of a body as they came, up to what the route takes. They are all here before the cloud hears of the call: whoever sends slowly
 * holds no place among those who wait for it.
 */
export async function readBody(endpoint: Endpoint, { raw }: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
  const most = endpoint.bodyLimit ?? USUAL_BYTES
  const chunks: Buffer[] = []
  let size = Number(raw.headers['content-length'] ?? 0)
  if (size > most) throw tooLarge(reply)
  size = 0
  for await (const chunk of raw as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) throw tooLarge(reply)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(reply: FastifyReply): Refusal {
  // What is left of it is not read.
  reply.header('connection', 'close')
  return new Refusal('too_large', 'The body is larger than this route takes.', { hint: 'Send less at once.' })
}
