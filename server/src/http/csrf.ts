import type { FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * CSRF. A browser sends the session cookie along whoever's page it shows. A write is taken only when the browser says it
 * comes from our own pages; a client that says nothing at all has no business with a session cookie.
 */
export function refuseCrossSite(request: FastifyRequest, publicUrl: string): void {
  if (SAFE.has(request.method)) return
  const said = request.headers.origin !== undefined || request.headers['sec-fetch-site'] === 'same-origin'
  if (!said) throw refusal(publicUrl)
  refuseForeignPage(request, publicUrl)
}

/** Without a cookie at stake it is enough that no other site's page is asking, such as to sign a visitor in. */
export function refuseForeignPage(request: FastifyRequest, publicUrl: string): void {
  if (SAFE.has(request.method)) return
  const { origin, 'sec-fetch-site': site } = request.headers
  const foreignOrigin = origin !== undefined && origin !== new URL(publicUrl).origin
  const foreignSite = site !== undefined && site !== 'same-origin'
  if (foreignOrigin || foreignSite) throw refusal(publicUrl)
}

const refusal = (publicUrl: string) =>
  new Refusal('cross_site', 'A page of another site cannot do this.', {
    hint: `Send the request from ${new URL(publicUrl).origin} (SLIPWAY_PUBLIC_URL), or use an access token.`,
  })
