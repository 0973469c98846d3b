import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../errors.ts'

const FORM = 'application/x-www-form-urlencoded'
const MOST_BYTES = 8 * 1024

/**
 * What a form sends. Only routes that say so take it: any page of any site can make a browser send one unasked, and
 * everywhere else that it cannot is one guard more against CSRF.
 */
export function takeForms(app: FastifyInstance): void {
  app.addContentTypeParser(FORM, (request, stream: Readable, done) => {
    const body = request.routeOptions.config.endpoint?.body
    const taken = body !== undefined && 'stream' in body && body.stream === FORM
    if (taken) return done(null, stream)
    done(new Refusal('unsupported_media_type', 'This route takes no forms.', { hint: 'Send application/json.' }))
  })
}

/** Its fields; one that comes twice is nobody's: neither of them counts. */
export async function readForm(stream: Readable): Promise<Record<string, string | undefined>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BYTES) throw new Refusal('too_large', 'The form is larger than any of ours.')
    chunks.push(chunk)
  }
  const fields = new URLSearchParams(Buffer.concat(chunks).toString())
  return Object.fromEntries(
    [...fields.keys()].filter((name) => fields.getAll(name).length === 1).map((name) => [name, fields.get(name) ?? '']),
  )
}
