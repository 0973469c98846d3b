import type { Answered, Fetch, Init } from '@slipway/contract/client'
import { EXIT, Failure } from '../failure.ts'
import { backoffMs, pause, retryAfterMs } from './pause.ts'
import { Lost, request } from './request.ts'

type Options = {
  url: string
  userAgent: string
  signal: AbortSignal
  /** Told of the version that each answer names. */
  onVersion?(version: string): void
  tries?: number
}

/** What comes back by itself: too many requests, a proxy without a server behind it, a server that is being replaced. */
const AGAIN = new Set([429, 502, 503, 504])
/** Streams have a deadline of their own; everything else answers within this, a CA that is asked included. */
const ANSWER_MS = 180_000
const TRIES = 5

/**
 * What the command line has in place of fetch: with a name, a deadline, and patience for what may be repeated: calls that change nothing,
 * or nothing more when they are repeated, and a POST with an Idempotency-Key.
 */
export function transport({ url, userAgent, signal, onVersion, tries = TRIES }: Options): Fetch {
  const explain = (error: unknown) => asUnreachable(url, error, signal)
  return async (target, init) => {
    const headers = { ...tidied(init.headers), 'user-agent': userAgent }
    const most = mayRepeat(init.method, headers) ? tries : 1
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= most
      const options = { signal: signalFor(init, headers, signal), explain }
      const answer = await request(target, { ...init, headers }, options).catch((error: unknown) => {
        if (!last && isLost(error)) return null
        throw explain(error)
      })
      const version = answer?.headers.get('slipway-version')
      if (version) onVersion?.(version)
      const isRedirect = answer !== null && answer.status >= 300 && answer.status < 400
      if (answer && !isRedirect && (last || !(await isForLater(answer, headers)))) return answer
      await answer?.body?.getReader().cancel()
      if (isRedirect) throw moved(url, answer)
      const asked = retryAfterMs(answer?.headers.get('retry-after') ?? null)
      await pause(asked || backoffMs(attempt), signal)
    }
  }
}

type Headers = Record<string, string>

/** A token often comes with the end of its line. */
const tidied = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]))

/** A repeated call may find the first one still running: it has the answer in a moment. */
async function isForLater(answer: Answered, headers: Headers): Promise<boolean> {
  if (AGAIN.has(answer.status)) return true
  if (answer.status !== 409 || headers['idempotency-key'] === undefined) return false
  return (await refusalIn(answer))?.code === 'request_running'
}

/** What an answer says in JSON; it can be read again. Null where it says something else. */
export async function refusalIn(answer: Answered): Promise<{ code?: string } | null> {
  const text = await answer.text()
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const mayRepeat = (method: string, headers: Headers): boolean =>
  ['GET', 'PUT', 'DELETE', 'HEAD'].includes(method) || headers['idempotency-key'] !== undefined

function signalFor(init: Init, headers: Headers, signal: AbortSignal): AbortSignal {
  const given = init.signal ? [init.signal] : []
  const deadline = headers.accept?.startsWith('text/') ? [] : [AbortSignal.timeout(ANSWER_MS)]
  return AbortSignal.any([signal, ...given, ...deadline])
}

/** The connection was refused, cut or never came about; not: somebody left, or the other side is not who it says. */
const isLost = (error: unknown): error is Lost =>
  error instanceof Lost && !/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY/.test(error.code)

function asUnreachable(url: string, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || !(error instanceof Error)) return error
  if (error.name === 'TimeoutError') return unreachable(`${url} did not answer within ${ANSWER_MS / 1000} s.`)
  if (!(error instanceof Lost)) return error
  const { code, message, begun } = error
  if (!isLost(error))
    return unreachable(
      `The certificate of ${url} is not trusted: ${message || code}.`,
      'If it comes from a CA of your own, name its file in NODE_EXTRA_CA_CERTS.',
    )
  if (begun) return unreachable(`The connection to ${url} was cut in the middle of an answer.`)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return unreachable(`No machine is known by the name in ${url}.`)
  return unreachable(`Nothing answers at ${url}.`)
}

const unreachable = (
  message: string,
  hint = 'Is the address right, and the instance running? slipway doctor looks at it.',
) => new Failure(EXIT.unreachable, 'unreachable', message, hint)

function moved(url: string, answer: Answered): Failure {
  const to = URL.parse(answer.headers.get('location') ?? '', url)
  return new Failure(
    EXIT.unreachable,
    'moved',
    `${url} sends callers elsewhere${to ? `: ${to.origin}` : ''}.`,
    'An access token is not sent after it. Sign in to that address if it is the instance.',
  )
}
