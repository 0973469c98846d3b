import type { FastifyReply } from 'fastify'

/** Aborts when the caller hangs up, so that nobody waits for an answer that nobody will read. */
export function aborted(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort(new Error('the caller hung up')))
  return gone.signal
}
