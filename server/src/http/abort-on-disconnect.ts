import type { FastifyReply } from 'fastify'

/** One for all: where each began says nothing, and is dear to find out for every answer that is sent. */
const HUNG_UP = new Error('the caller hung up')

/** Aborts when the caller hangs up, so that nobody waits for an answer that nobody will read. */
export function aborted(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort(HUNG_UP))
  return gone.signal
}
