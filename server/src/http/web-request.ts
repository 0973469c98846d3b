import type { FastifyRequest } from 'fastify'
import { ADDRESS_HEADER } from '../core/access/people.ts'

const PASSED = ['cookie', 'origin', 'referer', 'user-agent', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest']

/** The request as the web standard's object, with only the headers that matter and the address we vouch for. */
export function toWeb(request: FastifyRequest, url: string, body: unknown): Request {
  const headers = new Headers({ 'content-type': 'application/json', [ADDRESS_HEADER]: request.ip })
  for (const name of PASSED) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  headers.set('x-request-id', request.id)
  return new Request(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
}
