import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Answer, ApiError, conditional, type Headers, ok, readBody } from '../answer.ts'
import { type Actor, addressOf, describeActor, readActor } from '../credentials.ts'
import { admit, charge, type Resource, rateHeaders } from '../limits.ts'
import type { Host, Json } from '../model.ts'
import { type Call, findRoute } from '../route.ts'
import { answerGraphql } from './graphql.ts'
import { routes } from './routes.ts'

const DOCS = 'https://docs.github.com/rest'
const NO_AGENT = 'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.'

/** `api.<host>` has the API at its root, as github.com does; else it is below /api/v3. Null: not for the API. */
export function apiPathOf(url: URL): { path: string; base: string; resource: Resource } | null {
  const atRoot = url.hostname.startsWith('api.')
  if (!atRoot && !url.pathname.startsWith('/api/')) return null
  const isGraphql = url.pathname === (atRoot ? '/graphql' : '/api/graphql')
  const path = atRoot ? url.pathname : url.pathname.replace(/^\/api\/v3/, '') || '/'
  return { path, base: url.origin + (atRoot ? '' : '/api/v3'), resource: isGraphql ? 'graphql' : 'core' }
}

type Asked = NonNullable<ReturnType<typeof apiPathOf>>

export async function answerApi(host: Host, request: IncomingMessage, url: URL, asked: Asked) {
  const { method = 'GET' } = request
  let actor: Actor = { kind: 'anonymous', address: addressOf(request) }
  let answer: Answer
  host.usage.underWay += 1
  try {
    actor = readActor(host, request)
    if (!request.headers['user-agent']) throw new ApiError(403, NO_AGENT)
    admit(host, actor, { method, ...asked })
    const body = method === 'GET' || method === 'HEAD' ? {} : parse(await readBody(request))
    answer = await handle({ host, actor, address: addressOf(request), url, body }, method, asked)
  } catch (error) {
    answer = refusal(error)
  } finally {
    host.usage.underWay -= 1
  }
  if (method === 'GET' && answer.status === 200 && answer.body !== undefined) answer = conditional(request, answer)
  const headers = { ...commonHeaders(host, actor, asked.resource), ...answer.headers }
  // An answer that the client knows already costs nothing.
  if (answer.status !== 304 && asked.path !== '/rate_limit') charge(host, actor, asked.resource)
  return { answer: { ...answer, headers }, actor: describeActor(actor) }
}

function handle(known: Omit<Call, 'param' | 'query' | 'base'>, method: string, { path, base, resource }: Asked) {
  const query = (name: string) => known.url.searchParams.get(name)
  if (resource === 'graphql') return answerGraphql({ ...known, base, query, param: () => '' })
  const found = findRoute(routes, method === 'HEAD' ? 'GET' : method, path)
  if (!found) throw new ApiError(404, 'Not Found')
  return found.handle({ ...known, base, query, param: found.param })
}

function parse(text: string): Json {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Json) : {}
  } catch {
    throw new ApiError(400, 'Problems parsing JSON')
  }
}

function refusal(error: unknown): Answer {
  if (!(error instanceof ApiError)) {
    console.error(error)
    return ok({ message: 'Server Error', documentation_url: DOCS }, 500)
  }
  const { status, message, more, headers } = error
  return ok({ message, ...more, documentation_url: DOCS, status: String(status) }, status, headers)
}

function commonHeaders(host: Host, actor: Actor, resource: Resource): Headers {
  const token = actor.kind === 'token' ? actor.token : null
  const hasScopes = token?.kind === 'pat' || token?.kind === 'oauth'
  const expiry = token?.expiresAt ? new Date(token.expiresAt).toISOString() : null
  return {
    ...rateHeaders(host, actor, resource),
    ...(hasScopes && { 'x-oauth-scopes': token.scopes.join(', '), 'x-accepted-oauth-scopes': '' }),
    ...(expiry && { 'github-authentication-token-expiration': expiry }),
    vary: 'Accept, Authorization, Cookie, X-GitHub-OTP',
    'x-github-media-type': 'github.v3; format=json',
    'x-github-request-id': randomBytes(6).toString('hex'),
  }
}
