import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Json } from './model.ts'

export type Headers = Record<string, string>
export type Answer = { status: number; body?: unknown; headers?: Headers; text?: string }

/** A refusal in the API's own words. */
export class ApiError extends Error {
  readonly status: number
  readonly more: Json
  readonly headers: Headers
  constructor(status: number, message: string, more: Json = {}, headers: Headers = {}) {
    super(message)
    this.status = status
    this.more = more
    this.headers = headers
  }
}

export const notFound = () => new ApiError(404, 'Not Found')
export const unauthenticated = () => new ApiError(401, 'Requires authentication')
export const notByIntegration = () => new ApiError(403, 'Resource not accessible by integration')
export const invalid = (resource: string, field: string, code: string, message?: string) =>
  new ApiError(422, 'Validation Failed', { errors: [{ resource, field, code, ...(message && { message }) }] })

export const ok = (body: unknown, status = 200, headers: Headers = {}): Answer => ({ status, body, headers })
export const noContent = (): Answer => ({ status: 204 })
export const redirect = (location: string): Answer => ({ status: 302, headers: { location } })
export const page = (html: string, status = 200): Answer => ({
  status,
  text: `<!doctype html>${html}`,
  headers: { 'content-type': 'text/html; charset=utf-8' },
})
export const noPage = () => page('<h1>404</h1><p>This is not the web page you are looking for.</p>', 404)

const MOST_BYTES = 30_000_000

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BYTES) throw new ApiError(413, 'Payload too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

export function send(response: ServerResponse, { status, body, headers = {}, text }: Answer): void {
  const bytes = Buffer.from(text ?? (body === undefined ? '' : JSON.stringify(body)))
  const empty = status === 204 || status === 304
  response.writeHead(status, {
    ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    ...(!empty && { 'content-length': String(bytes.length) }),
    ...headers,
  })
  response.end(empty ? undefined : bytes)
}

/**
 * An answer whose tag or time the client knows already becomes 304. Tags cover who asked, as on the real host: the same
 * body has another tag for another token. `Last-Modified` holds for everyone.
 */
export function conditional(request: IncomingMessage, answer: Answer): Answer {
  const { authorization = '', 'if-none-match': known, 'if-modified-since': since } = request.headers
  const content = JSON.stringify(answer.body) + (answer.headers?.link ?? '')
  const hash = createHash('sha256').update(`${authorization}\0${content}`).digest('hex')
  const modified = answer.headers?.['last-modified']
  const headers = { ...answer.headers, etag: `W/"${hash}"`, 'cache-control': 'private, max-age=60, s-maxage=60' }
  const sameTag = known?.split(',').some((tag) => tag.replace(/^\s*W\//, '').trim() === `"${hash}"`)
  const sameTime = !known && since && modified && Date.parse(since) >= Date.parse(modified)
  return sameTag || sameTime ? { status: 304, headers } : { ...answer, headers }
}
