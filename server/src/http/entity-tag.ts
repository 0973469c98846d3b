import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Refusal } from '../errors.ts'

/** For optimistic locking: rows that have a version are tagged by it, the rest by their content. */
export function setEntityTag(method: string, result: unknown, text: string, reply: FastifyReply): void {
  const version = (result as { version?: unknown }).version
  if (typeof version === 'number') reply.header('etag', `"${version}"`)
  else if (method === 'GET') reply.header('etag', `W/"${createHash('sha1').update(text).digest('base64url')}"`)
}

export function versionIn(ifMatch: string | undefined): number | null {
  if (ifMatch === undefined || ifMatch === '*') return null
  const version = /^"(\d{1,9})"$/.exec(ifMatch)?.[1]
  if (version !== undefined) return Number(version)
  throw new Refusal('stale', 'If-Match does not name a version of this resource.', {
    hint: 'Send the ETag of the last answer unchanged.',
  })
}
