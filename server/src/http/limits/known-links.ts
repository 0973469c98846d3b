import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/**
 * Credentials of linked instances that were good lately. Everybody of an instance comes from its one address, so these are limited by their
 * link and not by that; that one still is good is asked all the same, and whoever finds it is not counts by address from the next call on.
 */
export type KnownLinks = {
  has(request: FastifyRequest): boolean
  /** How the look at who asks has ended. */
  note(request: FastifyRequest, isLink: boolean): void
}

const GOOD_MS = 10 * 60_000
const MOST = 50_000

export function knownLinks(now: () => number = Date.now): KnownLinks {
  const good = new Map<string, number>()
  return {
    // Where no instance is linked, nobody pays for it.
    has: (request) => good.size > 0 && (good.get(nameOf(request)) ?? 0) > now(),
    note(request, isLink) {
      if (!isLink && good.size === 0) return
      const name = nameOf(request)
      good.delete(name)
      if (!isLink) return
      good.set(name, now() + GOOD_MS)
      const [oldest] = good.keys()
      if (good.size > MOST && oldest !== undefined) good.delete(oldest)
    },
  }
}

const nameOf = ({ headers: { authorization = '' } }: FastifyRequest) =>
  createHash('sha256').update(authorization).digest('base64')
