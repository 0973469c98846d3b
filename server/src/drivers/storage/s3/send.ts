import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bucket, Sdk } from './client.ts'
import { codeOf, nameOf, statusOf } from './explain.ts'

const ATTEMPTS = 3
const SLICE = 256 * 1024

type Given = { body: Buffer; sha256: string; signal: AbortSignal }
type Sending = InstanceType<Sdk['PutObjectCommand']> | InstanceType<Sdk['UploadPartCommand']>

/**
 * A body slice by slice: given as a whole, all of it would be encrypted into memory at once. The SDK does not repeat what
 * it cannot rewind, so that is done here. Signed with the SHA-256, which the server compares with what arrived.
 */
export async function send({ client, agents }: Bucket, command: (body: object) => Sending, given: Given) {
  const { body, sha256, signal } = given
  for (let attempt = 1; ; attempt += 1) {
    const stream = Readable.from(slices(body), { objectMode: false, highWaterMark: SLICE })
    // Both kinds of request; the SDK has no common type for them.
    const request = command({ Body: stream, ContentLength: body.length }) as InstanceType<Sdk['PutObjectCommand']>
    request.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> }
        headers['x-amz-content-sha256'] = sha256
        return next(args)
      },
      { step: 'build', name: 'signedBody' },
    )
    try {
      return await client.send(request, { abortSignal: signal })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (attempt === ATTEMPTS || !agents.reached() || !passing(error)) throw error
      await delay(200 * 2 ** attempt, undefined, { signal })
    } finally {
      stream.destroy()
    }
  }
}

function* slices(body: Buffer) {
  for (let at = 0; at < body.length; at += SLICE) yield body.subarray(at, at + SLICE)
}

/** What may be over in a moment. */
function passing(error: unknown): boolean {
  const status = statusOf(error)
  return (
    (status === undefined &&
      error instanceof Error &&
      !['tls', 'address_refused', 'name_not_found'].includes(codeOf(error))) ||
    (status ?? 0) >= 500 ||
    status === 429 ||
    ['RequestTimeTooSkewed', 'RequestTimeout', 'SlowDown'].includes(nameOf(error))
  )
}
