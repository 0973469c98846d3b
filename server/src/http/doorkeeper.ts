import { finished } from 'node:stream'
import rateLimit from '@fastify/rate-limit'
import type { Endpoint } from '@slipway/contract/endpoint'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authenticateSession, authenticateToken, type FindToken } from '../core/access/authenticate.ts'
import { type Caller, isOfProject, requirePermission, requireUnrestricted } from '../core/access/caller.ts'
import { carriesSession } from '../core/access/people.ts'
import { networkOf } from '../core/networks/network-of.ts'
import type { Platform } from '../core/platform.ts'
import { Refusal } from '../errors.ts'
import { refuseCrossSite, refuseForeignPage } from './csrf.ts'
import { knownLinks } from './limits/known-links.ts'
import { line } from './limits/line.ts'
import { type Strangers, strangers } from './limits/strangers.ts'

/** Decides who comes in, in this order: how often, who, and whether they may. */
export type Doorkeeper = {
  /** `findBy`: for a route that needs more than the token of the same query. */
  admit(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, findBy?: FindToken): Promise<void>
}

export async function doorkeeper(app: FastifyInstance, platform: Platform): Promise<Doorkeeper> {
  await app.register(rateLimit, { global: false })
  const { perLink, rate } = platform.config
  const { perAddress, perToken } = rate
  const byAddress = app.createRateLimit({
    max: perAddress,
    timeWindow: 60_000,
    keyGenerator: (request) => networkOf(request.ip),
  })
  const dear = new Map<string, Limit>()
  const dearly = ({ path, perMinute = 0 }: Endpoint): Limit => {
    const keyGenerator = (request: FastifyRequest) => networkOf(request.ip)
    const known = dear.get(path) ?? app.createRateLimit({ max: perMinute, timeWindow: 60_000, keyGenerator })
    dear.set(path, known)
    return known
  }
  const unknown = strangers(perAddress)
  const inLine = line(8, MOST_IN_LINE)
  const links = knownLinks()
  const perCredential = (max: number) =>
    app.createRateLimit({
      max,
      timeWindow: 60_000,
      keyGenerator: (request) => request.caller?.credentialId ?? networkOf(request.ip),
    })
  const [byCaller, byLink] = [perCredential(perToken), perCredential(perLink.rate)]
  const known = async (request: FastifyRequest, findBy?: FindToken): Promise<Caller> => {
    let caller: Caller | undefined
    try {
      caller = await identify(platform, request, findBy)
      return caller
    } finally {
      links.note(request, caller?.ofLink ?? false)
    }
  }

  return {
    async admit(endpoint, request, reply, findBy) {
      if (endpoint.path === '/healthz') return
      if (!endpoint.unlimited && !links.has(request)) await limited(byAddress, perAddress, 'address', request, reply)
      if (endpoint.perMinute) await limited(dearly(endpoint), endpoint.perMinute, 'address', request, reply)
      if ('public' in endpoint.access) {
        if (endpoint.unlimited) countUnsigned(unknown, request, reply)
        return refuseForeignPage(request, platform.config.publicUrl)
      }
      const { permission } = endpoint.access
      request.caller = endpoint.unlimited
        ? await unknown.admit(strangerIn(request), () => inLine(() => identify(platform, request, findBy)))
        : await known(request, findBy)
      if (!endpoint.unlimited)
        await (request.caller.ofLink
          ? limited(byLink, perLink.rate, 'link', request, reply)
          : limited(byCaller, perToken, 'token', request, reply))
      requirePermission(request.caller, permission)
      if (!isOfProject(permission)) requireUnrestricted(request.caller)
    },
  }
}

/** Viewers come all at once when a process restarts: they wait in a line here, not in the database's queue, which gives up. */
const MOST_IN_LINE = 20_000

const strangerIn = ({ ip, headers: { authorization, cookie } }: FastifyRequest) => ({
  address: ip,
  credential: authorization ?? cookie ?? '',
})

/** Before the body is read: an address from where too much came that was not signed waits. Whose key was good lately does not. */
function countUnsigned(unknown: Strangers, request: FastifyRequest, reply: FastifyReply): void {
  const { k } = request.query as { k?: unknown }
  const end = unknown.begin({ address: request.ip, credential: `hook ${String(k)}` })
  finished(reply.raw, () => end(reply.statusCode === 401 ? 'bad' : reply.statusCode === 202 ? 'good' : 'neither'))
}

async function identify(platform: Platform, request: FastifyRequest, findBy?: FindToken): Promise<Caller> {
  const { authorization, cookie, 'user-agent': agent = '' } = request.headers
  const origin = { address: request.ip, client: clientIn(agent), requestId: request.id }
  if (authorization !== undefined) {
    const secret = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization)?.[1]
    return authenticateToken(platform, secret ?? '', origin, findBy)
  }
  if (cookie !== undefined && carriesSession(platform.config, cookie)) {
    refuseCrossSite(request, platform.config.publicUrl)
    return authenticateSession(platform, new Headers({ cookie }), origin)
  }
  throw new Refusal('credentials_missing', 'This needs an access token or a session.', {
    hint: 'Send `Authorization: Bearer slp_…`; `slipway admin bootstrap` makes the first token.',
  })
}

/** A program with its version, such as `slipway/0.4.0`. What browsers say of themselves tells nobody anything. */
const clientIn = (agent: string): string | null => {
  const client = /^[A-Za-z][\w.-]{0,39}\/[\w.+-]{1,40}(?![^ ])/.exec(agent)?.[0] ?? null
  return client?.startsWith('Mozilla/') ? null : client
}

type Limit = ReturnType<FastifyInstance['createRateLimit']>

async function limited(limit: Limit, quota: number, name: string, request: FastifyRequest, reply: FastifyReply) {
  const state = await limit(request)
  if (state.isAllowed) return
  const seconds = Math.max(1, state.ttlInSeconds)
  reply.header('ratelimit-policy', `"${name}";q=${quota};w=60`)
  reply.header('ratelimit', `"${name}";r=${Math.max(0, state.remaining)};t=${seconds}`)
  if (!state.isExceeded) return
  throw new Refusal('rate_limited', `More than ${quota} requests in a minute from this ${name}.`, {
    retryAfter: seconds,
    hint: `Wait ${seconds} seconds.`,
  })
}
