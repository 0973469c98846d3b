import type { Readable } from 'node:stream'
import { Refusal } from '../../errors.ts'

const STALLED = 2 * 60 * 1000
/** Well below the day after which a file without a row counts as abandoned. */
const LONGEST = 12 * 3600 * 1000

/**
 * The chunks of a request's body. Who stops early leaves the connection open, so that the refusal can still be answered;
 * the rest of the body then flows away unread.
 */
export async function* receive(body: Readable): AsyncGenerator<Buffer> {
  const latest = Date.now() + LONGEST
  const stalled = setTimeout(() => body.destroy(cut('stalled')), STALLED)
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      if (Date.now() > latest) throw cut('took too long')
      yield chunk
      stalled.refresh()
    }
  } catch (error) {
    throw error instanceof Refusal ? error : cut('was cut off', error)
  } finally {
    clearTimeout(stalled)
    body.resume()
  }
}

const cut = (how: string, cause?: unknown) =>
  new Refusal('invalid_request', `The upload ${how} before all of it arrived.`, {
    hint: 'Ask what is missing and send that; nothing of the unfinished part was kept.',
    cause,
  })
