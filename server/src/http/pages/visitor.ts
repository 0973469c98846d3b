import type { FastifyRequest } from 'fastify'
import { authenticateSession } from '../../core/access/authenticate.ts'
import type { Caller } from '../../core/access/caller.ts'
import { carriesSession } from '../../core/access/people.ts'
import type { Platform } from '../../core/platform.ts'
import { Refusal } from '../../errors.ts'

/** Who is signed in in the browser that shows one of our pages; nobody, where the session has ended. */
export async function visitorOf(platform: Platform, request: FastifyRequest): Promise<Caller | undefined> {
  const { cookie } = request.headers
  if (cookie === undefined || !carriesSession(platform.config, cookie)) return undefined
  const origin = { address: request.ip, client: null, requestId: request.id }
  return authenticateSession(platform, new Headers({ cookie }), origin).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'credentials_invalid') return undefined
    throw error
  })
}
