import { Readable } from 'node:stream'
import type { Endpoint } from '@slipway/contract/endpoint'
import { ID_PREFIXES, type IdPrefix } from '@slipway/contract/ids'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ZodObject, ZodType } from 'zod'
import type { Caller } from '../core/access/caller.ts'
import type { Platform } from '../core/platform.ts'
import { notFound, Refusal } from '../errors.ts'
import type { Forwarding } from './cloud-forward/forward-hook.ts'
import type { Doorkeeper } from './doorkeeper.ts'
import { setEntityTag, versionIn } from './entity-tag.ts'
import { type Answer, answerOnce } from './idempotency.ts'
import { unstorable } from './reject-unstorable-text.ts'
import type { Input, Route } from './route.ts'
import { sentence } from './sentence.ts'
import { serializer } from './serializer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Puts a table of routes on the app: who may ask, what may be sent, what is answered. */
export function mount(app: FastifyInstance, platform: Platform, doors: Doors, routes: Route[]): void {
  const plain = routes.filter(({ endpoint }) => !endpoint.raw)
  put(app, platform, doors, plain)
  // Parsers of its own: a signature is over the bytes as they came.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
    put(
      scope,
      platform,
      doors,
      routes.filter(({ endpoint }) => endpoint.raw),
    )
  })
}

/** Who is let in, and what then goes on to the hosted cloud. */
type Doors = { door: Doorkeeper; forwarding: Forwarding }

function put(app: FastifyInstance, platform: Platform, { door, forwarding }: Doors, routes: Route[]): void {
  for (const { endpoint, handle } of routes) {
    const write = answerer(endpoint)
    const parse = inputParser(endpoint)
    const status = endpoint.status ?? 200
    const forward = forwarding(endpoint)
    const admit = (request: FastifyRequest, reply: FastifyReply) =>
      door.admit(endpoint, request, reply, forward?.findBy(request))
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      config: { endpoint },
      bodyLimit: endpoint.bodyLimit ?? 1024 * 1024,
      onRequest: forward ? [admit, forward.hook] : admit,
      async handler(request, reply) {
        const input = parse(request, reply)
        const answer = async (): Promise<Answer> => {
          const payload = write(await handle(input), reply)
          return { status: reply.statusCode === 200 ? status : reply.statusCode, payload }
        }
        const once = endpoint.method === 'POST' && input.stream === null && !endpoint.neverKept
        const { payload, ...given } = once ? await answerOnce(platform, request, answer) : await answer()
        if (payload === undefined) return reply
        if (given.replayed) reply.header('idempotent-replayed', 'true')
        return reply.code(given.status).type(JSON_TYPE).send(payload)
      },
    })
  }
}

/** Turns a result into the bytes to send, with its entity tag where it is one resource. */
function answerer(endpoint: Endpoint): (result: unknown, reply: FastifyReply) => string | undefined {
  if (!(endpoint.response instanceof ZodType)) return () => undefined
  const stringify = serializer(endpoint.response)
  const single = endpoint.params !== undefined
  return (result, reply) => {
    if (result === null && endpoint.alsoAnswers) return undefined
    const text = stringify(result)
    if (single) setEntityTag(endpoint.method, result, text, reply)
    return text
  }
}

function inputParser(endpoint: Endpoint) {
  const { params, query, body, orStream } = endpoint
  return (request: FastifyRequest, reply: FastifyReply): Input<Endpoint> => {
    const stream = request.body instanceof Readable ? request.body : null
    if (body instanceof ZodType ? stream !== null && orStream === undefined : body !== undefined && stream === null) {
      const wanted = body instanceof ZodType ? 'application/json' : body?.stream
      throw new Refusal('unsupported_media_type', `This route takes ${wanted}.`, {
        hint: 'Set the Content-Type header.',
      })
    }
    return {
      caller: request.caller as Caller,
      params: params && existing(params, request.params),
      query: query && checked(query, request.query),
      body: body instanceof ZodType && stream === null ? checked(body, request.body ?? {}) : undefined,
      stream: stream as Readable,
      ifMatch: endpoint.method === 'PATCH' ? versionIn(request.headers['if-match']) : null,
      request,
      reply,
    } as Input<Endpoint>
  }
}

/** An id that cannot exist is one that does not. */
function existing(schema: ZodObject, value: unknown): unknown {
  for (const [name, field] of Object.entries(schema.shape)) {
    const prefix = (field as ZodType).meta()?.idPrefix as IdPrefix | undefined
    const said = (value as Record<string, unknown>)[name]
    if (prefix === undefined) continue
    if (!(field as ZodType).safeParse(said).success || unstorable(said)) throw notFound(ID_PREFIXES[prefix])
  }
  return checked(schema, value)
}

function checked(schema: ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return storable(result.data)
  const [issue] = result.error.issues
  const field = issue?.path.join('.') ?? ''
  throw new Refusal('invalid_request', field ? `${field}: ${sentence(issue)}` : sentence(issue), {
    ...(field && { field }),
    hint: 'See /api/docs for what this route takes.',
  })
}

function storable(data: unknown): unknown {
  const path = unstorable(data)
  if (!path) return data
  const field = path.join('.')
  throw new Refusal('invalid_request', `${field || 'The request'} contains a character that cannot be stored.`, {
    ...(field && { field }),
    hint: 'Leave out NUL characters and broken Unicode.',
  })
}
