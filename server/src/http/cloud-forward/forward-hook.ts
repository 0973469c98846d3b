import type { Endpoint } from '@slipway/contract/endpoint'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ZodType } from 'zod'
import type { FindToken } from '../../core/access/authenticate.ts'
import { type Caller, requirePermission } from '../../core/access/caller.ts'
import { findCloudDeployment, findCloudDeploymentWithToken, forward, HOPS_HEADER } from '../../core/cloud/forward.ts'
import type { Call } from '../../core/cloud/parts.ts'
import { answerHere } from '../../core/cloud/promote/answer-here.ts'
import type { Platform } from '../../core/platform.ts'
import { Refusal } from '../../errors.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { line } from '../limits/line.ts'
import type { Streams } from '../open-streams.ts'
import { keyThere } from './key-there.ts'
import { readBody } from './read-body.ts'
import { type Answer, isStream, sendStream, sendWhole } from './send-answer.ts'

type Stub = NonNullable<Awaited<ReturnType<typeof findCloudDeployment>>>

declare module 'fastify' {
  interface FastifyRequest {
    /** The deployment in the cloud that is asked about; null: there is none; undefined: nobody has looked. */
    stub: Stub | null | undefined
  }
}

type Forward = {
  /** Looks up a token and the deployment that is asked about at once. */
  findBy(request: FastifyRequest): FindToken | undefined
  /** Runs when the caller was let in and before a body is read. Answers for the route, or leaves it to its handler. */
  hook(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}
export type Forwarding = (endpoint: Endpoint) => Forward | undefined

const OF_DEPLOYMENTS = /^\/api\/deployments\/:id(\/|$)/
const ID = /^dep_[0-9a-z]{1,60}$/
const MOST_IN_LINE = 20_000
const USUAL_MS = 10_000
const NEVER = new AbortController().signal

const IDEMPOTENCY_KEY = 'idempotency-key'
/** Of the caller's own headers these go on; never a cookie, never a credential. */
const PASSED = ['content-type', 'accept', 'if-match', 'if-none-match', IDEMPOTENCY_KEY, 'last-event-id']

/**
 * Transparent forwarding: every route of one deployment, by its path in the table, goes to the hosted cloud when the deployment is there.
 * What this instance asks of a caller comes first: who is refused here is never asked about there.
 */
export function cloudForwarding(platform: Platform, streams: Streams): Forwarding {
  // However many come at once, they do not crowd the database.
  const inLine = line(8, MOST_IN_LINE)
  return (endpoint) => {
    if (platform.config.mode === 'cloud' || !OF_DEPLOYMENTS.test(endpoint.path)) return undefined
    const stubOf = async (request: FastifyRequest, caller: Caller) => {
      if (request.stub !== undefined) return request.stub
      const id = idIn(request)
      return id === undefined ? null : inLine(() => findCloudDeployment(platform, caller, id))
    }
    const hook: Forward['hook'] = async (request, reply) => {
      const caller = request.caller as Caller
      const stub = await stubOf(request, caller)
      if (!stub) return
      if (endpoint.alsoNeeds) requirePermission(caller, endpoint.alsoNeeds)
      const waits = waitIn(endpoint, request)
      const here = await answerHere(platform, caller, stub, endpoint, { waitMs: waits, signal: aborted(reply) })
      if (here !== undefined) return reply.code(endpoint.status ?? 200).send(here)
      refuseLoop(request)
      const call = await callOf(endpoint, request, reply)
      // A write goes on without its caller, as it does here: what became of it is recorded. Its deadlines end it.
      const signal = call.method === 'GET' ? aborted(reply) : NEVER
      const options = {
        signal,
        // Of followers many come at once, and each stays: their places are not those of who asks and goes.
        waits: waits > 0 || !(endpoint.response instanceof ZodType),
        firstByteMs: (endpoint.slowMs ?? USUAL_MS) + waits,
        streams: (type: string) => mayStream(endpoint) && isStream(type),
      }
      const viewer = { caller, target: { project: stub.projectId } }
      const ask = () => forward(platform, caller, stub, call, options)
      const answer: Answer = await (waits > 0 ? streams.open(viewer, ask) : ask())
      if ('body' in answer) return sendWhole(reply, answer)
      const follows = (request.query as { follow?: unknown }).follow === 'true'
      await streams
        .open(viewer, (send) => sendStream({ reply, send, follows, log: request.log }, answer))
        .finally(answer.drop)
      return reply
    }
    return { hook, findBy }
  }
}

const idIn = ({ params }: FastifyRequest): string | undefined => {
  const { id } = params as { id: string }
  return ID.test(id) ? id : undefined
}

/** With the token comes the deployment that is asked about: a call needs both, and this way one query. */
function findBy(request: FastifyRequest): FindToken | undefined {
  const id = idIn(request)
  if (id === undefined) return undefined
  return async (pool, hash) => {
    const found = await findCloudDeploymentWithToken(pool, hash, id)
    request.stub = found?.stub ?? null
    return found?.token
  }
}

const mayStream = ({ response, alsoAnswers }: Endpoint) => !(response instanceof ZodType) || alsoAnswers !== undefined

/** Milliseconds that the caller asks the cloud to wait before it answers. */
function waitIn({ query }: Endpoint, request: FastifyRequest): number {
  const { wait } = request.query as { wait?: unknown }
  const seconds = query && 'wait' in query.shape ? Number(wait) : 0
  return seconds > 0 && seconds <= 60 ? seconds * 1000 : 0
}

function refuseLoop({ headers }: FastifyRequest): void {
  if (headers[HOPS_HEADER] === undefined) return
  throw new Refusal('loop_detected', 'This call was passed on already, and would be passed on once more.', {
    hint: 'The address of the hosted cloud leads to an instance that is linked itself; link the organization anew.',
  })
}

/** The path is made from the table, so that nothing but the query is the caller's text. */
async function callOf(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<Call> {
  const { method, path: route } = endpoint
  const params = request.params as Record<string, string>
  const path = route.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const url = request.raw.url ?? ''
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : ''
  const headers: Call['headers'] = {}
  for (const name of PASSED) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  const key = headers[IDEMPOTENCY_KEY]
  if (key !== undefined) headers[IDEMPOTENCY_KEY] = keyThere(request.caller as Caller, key)
  const body = method === 'GET' ? null : await readBody(endpoint, request, reply)
  return { method, route, path: path + query, headers, body }
}
