import { once } from 'node:events'
import type { ClientRequest } from 'node:http'
import type { StreamedBody } from './passage.ts'

type Told = { moved(): void; sent(): void }

/**
 * Backpressure: no more is read than was taken, so a body of any size needs little memory. `moved` is said whenever some of it went on:
 * a large one may take long, as long as it does not stall. Rejects only when the body itself could not be read. Whoever answers before
 * all of it was sent has heard enough.
 */
export async function writeBody(asked: ClientRequest, body: StreamedBody, { moved, sent }: Told): Promise<void> {
  const stop = new AbortController()
  const enough = () => stop.abort()
  asked.once('response', enough).once('close', enough)
  try {
    let bytes = 0
    for await (const chunk of body.chunks) {
      bytes += chunk.length
      if (bytes > body.bytes) break
      if (stop.signal.aborted) return
      if (!asked.write(chunk)) await once(asked, 'drain', { signal: stop.signal })
      moved()
    }
    if (bytes !== body.bytes) throw new Error('The body has another length than was said.')
  } catch (error) {
    if (stop.signal.aborted) return
    throw error
  } finally {
    asked.off('response', enough).off('close', enough)
  }
  if (stop.signal.aborted) return
  sent()
  asked.end()
}
