import { Readable } from 'node:stream'

const KIB = 1024
/** A word about what was done, or about what went wrong; real ones have about 1 KiB. */
const SHORT = 64 * KIB
/** A thousand keys of 1,024 bytes with their owners and dates are 1.5 MiB. */
const LONG = 2 * KIB * KIB
const LISTING = ['ListObjectsV2Command', 'ListMultipartUploadsCommand', 'DeleteObjectsCommand']
/** A thousand keys have about 26,000 of them. Each costs the parser 1 to 4 µs, in which nothing else happens. */
const MOST_MARKS = 50_000
/** For each `<!DOCTYPE` the parser copies the whole text. S3 has none. */
const MOST_DECLARATIONS = 16

type Answer = { statusCode: number; body?: unknown }

/** The other side said too much for S3, or something that would take too long to read. */
export const NOT_S3 = 'NotS3'

/**
 * The SDK collects and parses what comes, however much it is. So nothing comes to it but what was read here within
 * bounds; only an object itself goes on to whoever asked for it, as fast as they read.
 */
export async function boundAnswer(answer: Answer, command: string | undefined): Promise<void> {
  const { body, statusCode } = answer
  const done = statusCode >= 200 && statusCode < 300
  if (!(body instanceof Readable) || (done && command === 'GetObjectCommand')) return
  const most = done && LISTING.includes(command ?? '') ? LONG : SHORT
  const whole = await readUpTo(body, most)
  if (whole === null) throw notS3(statusCode, `it answers with more than ${most / KIB} KiB`)
  if (timesIn(whole, '<!', MOST_DECLARATIONS) || timesIn(whole, '<', MOST_MARKS) || timesIn(whole, '&', MOST_MARKS)) {
    throw notS3(statusCode, 'it answers with something')
  }
  answer.body = Readable.from(whole.length > 0 ? [whole] : [], { objectMode: false })
}

/** Null when there is more; the connection is ended then. */
async function readUpTo(body: Readable, most: number): Promise<Buffer | null> {
  // After the loop nobody listens any more.
  body.on('error', () => {})
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Whether it is there more than so many times. */
function timesIn(text: Buffer, mark: string, most: number): boolean {
  let found = 0
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    found += 1
    if (found > most) return true
  }
  return false
}

/** With the status: what it means still counts, and the request is not repeated for want of an answer. */
function notS3(httpStatusCode: number, what: string): Error {
  const error = new Error(`${what} that is no answer of S3`)
  return Object.assign(error, { name: NOT_S3, $metadata: { httpStatusCode } })
}
