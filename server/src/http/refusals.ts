import type { Endpoint, Mode } from '@slipway/contract/endpoint'
import { ERROR_CODES, type ErrorBody, type ErrorCode } from '@slipway/contract/errors'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DriverFailure, databaseOutage, diskFull, Refusal } from '../errors.ts'

type Options = {
  /** What only the other mode serves. */
  elsewhere: Endpoint[]
  /** Whoever wants to know of a refusal. */
  told(refusal: Refusal, request: FastifyRequest): void
  /** Answers what no route does; null: there is nothing. */
  otherwise(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | null
}

/** The one place that turns what went wrong into a status and a body. */
export function answerRefusals(app: FastifyInstance, { elsewhere, told, otherwise }: Options): void {
  const modeOf = modes(elsewhere)
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = asRefusal(error)
    told(refusal, request)
    if (refusal.code === 'internal' && !reply.raw.destroyed)
      request.log.error({ err: error, requestId: request.id }, 'request failed')
    return send(refusal, request, reply)
  })
  app.setNotFoundHandler((request, reply) => {
    const answered = otherwise(request, reply)
    if (answered) return answered
    const path = request.url.split('?')[0] ?? ''
    const mode = modeOf(request.method, path)
    const hint = mode ? `It is a route of ${WHERE[mode]}.` : 'See /api/docs for the routes there are.'
    return send(new Refusal('route_not_found', `There is no ${request.method} ${path}.`, { hint }), request, reply)
  })
}

const WHERE: Record<Mode, string> = { self_hosted: 'self-hosted instances', cloud: 'the hosted cloud' }

/** Which mode serves a path that this one does not. */
function modes(elsewhere: Endpoint[]): (method: string, path: string) => Mode | undefined {
  const patterns = elsewhere.map(({ method, path, only }) => ({
    method,
    only,
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
  }))
  return (method, path) => patterns.find((one) => one.method === method && one.pattern.test(path))?.only
}

/** What PostgreSQL says to a request that passed our own checks. */
const REFUSED_BY_DATABASE: Record<string, Refusal> = {
  // unique_violation: two passed a check at once, its index let only one through
  '23505': new Refusal('name_taken', 'Someone else took this name at the same moment.', { hint: 'Try another name.' }),
  // foreign_key_violation
  '23503': new Refusal('conflict', 'Something this refers to was removed at the same moment.', {
    hint: 'Look again and repeat.',
  }),
  // character_not_in_repertoire, untranslatable_character, invalid_text_representation: NUL and lone surrogates
  ...Object.fromEntries(
    ['22021', '22P05', '22P02'].map((code) => [
      code,
      new Refusal('invalid_request', 'The request contains a character that cannot be stored.', {
        hint: 'Leave out NUL characters and broken Unicode.',
      }),
    ]),
  ),
}

function asRefusal(error: FastifyError | Refusal): Refusal {
  if (error instanceof Refusal) return error
  const outage = databaseOutage(error) ?? diskFull(error)
  if (outage) return outage
  const code = error.code ?? ''
  // Drivers say in words what a server or its engine could not do.
  if (error instanceof DriverFailure) {
    return new Refusal('server_unreachable', error.message, { hint: error.hint, cause: error })
  }
  const refused = REFUSED_BY_DATABASE[code]
  if (refused) return refused
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal('too_large', 'The body is larger than this route takes.', { hint: 'Send less at once.' })
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Refusal('unsupported_media_type', error.message, { hint: 'Send application/json.' })
  }
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY') {
    return new Refusal('invalid_request', 'The body is not valid JSON, or has a key named __proto__.', {
      hint: 'Send an object as JSON; such a key is taken nowhere.',
    })
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new Refusal('invalid_request', error.message)
  }
  return new Refusal('internal', 'Something went wrong on our side.', {
    hint: "Try again; if it stays, look for the request id in the server's log.",
    cause: error,
  })
}

function send(refusal: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [status] = ERROR_CODES[refusal.code]
  const { hint, field, requires, missing, limit, retryAfter } = refusal.details
  const body: ErrorBody = {
    success: false,
    ...wordsOf(refusal),
    code: refusal.code,
    ...(hint && { hint }),
    ...(field && { field }),
    ...(requires && { requires }),
    ...(missing && { missing }),
    ...(limit && { limit: limit.kind, most: limit.most, used: limit.used }),
    requestId: request.id,
  }
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="slipway"')
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  const problem = request.headers.accept?.includes('application/problem+json')
  if (!problem) return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
  const full = {
    type: typeOf(refusal.code),
    title: ERROR_CODES[refusal.code][1],
    status,
    detail: refusal.message,
    ...body,
  }
  return reply.code(status).type('application/problem+json').send(JSON.stringify(full))
}

/** Where the interface makes `error` itself a code, the sentence is beside it. */
const wordsOf = ({ code, message }: Refusal) =>
  code === 'cloud_unreachable' ? { error: code, message } : { error: message }

const typeOf = (code: ErrorCode) => `/api/docs#error-${code}`
