import { EXIT, Failure } from '../failure.ts'
import { backoffMs, pause, retryAfterMs } from './pause.ts'

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
 * Node's fetch, with a name, a deadline, and patience for what may be repeated: calls that change nothing, or nothing more when they
 * are repeated, and a POST with an Idempotency-Key.
 */
export function transport({ url, userAgent, signal, onVersion, tries = TRIES }: Options): typeof fetch {
  return async (input, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('user-agent', userAgent)
    const most = mayRepeat(init, headers) ? tries : 1
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= most
      const sent = { ...init, headers, signal: signalFor(init, headers, signal), redirect: 'manual' as const }
      const answer = await once(input, sent).catch((error: unknown) => {
        if (!last && isLost(error)) return null
        throw asUnreachable(url, error, signal)
      })
      const version = answer?.headers.get('slipway-version')
      if (version) onVersion?.(version)
      if (answer && answer.status >= 300 && answer.status < 400) throw moved(url, answer)
      if (answer && (last || !(await isForLater(answer, headers)))) return answer
      const asked = retryAfterMs(answer?.headers.get('retry-after') ?? null)
      await answer?.body?.cancel()
      await pause(asked || backoffMs(attempt), signal)
    }
  }
}

/** Looked up anew for each request: tests put theirs in its place. */
const once: typeof fetch = (input, init) => fetch(input, init)

/** A repeated call may find the first one still running: it has the answer in a moment. */
async function isForLater(answer: Response, headers: Headers): Promise<boolean> {
  if (AGAIN.has(answer.status)) return true
  if (answer.status !== 409 || !headers.has('idempotency-key')) return false
  const body = (await answer
    .clone()
    .json()
    .catch(() => null)) as { code?: string } | null
  return body?.code === 'request_running'
}

function mayRepeat({ method = 'GET' }: RequestInit, headers: Headers): boolean {
  return ['GET', 'PUT', 'DELETE', 'HEAD'].includes(method) || headers.has('idempotency-key')
}

function signalFor(init: RequestInit, headers: Headers, signal: AbortSignal): AbortSignal {
  const given = init.signal ? [init.signal] : []
  const deadline = headers.get('accept')?.startsWith('text/') ? [] : [AbortSignal.timeout(ANSWER_MS)]
  return AbortSignal.any([signal, ...given, ...deadline])
}

type Lost = Error & { cause?: { code?: string; message?: string } }

/** The connection was refused, cut or never came about; not: somebody left, or the other side is not who it says. */
const isLost = (error: unknown): boolean => {
  if (!(error instanceof TypeError)) return false
  const code = (error as Lost).cause?.code ?? ''
  return !/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY/.test(code)
}

function asUnreachable(url: string, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || !(error instanceof Error)) return error
  if (error.name === 'TimeoutError') return unreachable(`${url} did not answer within ${ANSWER_MS / 1000} s.`)
  if (!(error instanceof TypeError)) return error
  const { code, message } = (error as Lost).cause ?? {}
  if (!isLost(error))
    return unreachable(
      `The certificate of ${url} is not trusted: ${message ?? code}.`,
      'If it comes from a CA of your own, name its file in NODE_EXTRA_CA_CERTS.',
    )
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return unreachable(`No machine is known by the name in ${url}.`)
  return unreachable(`Nothing answers at ${url}.`)
}

const unreachable = (
  message: string,
  hint = 'Is the address right, and the instance running? slipway doctor looks at it.',
) => new Failure(EXIT.unreachable, 'unreachable', message, hint)

function moved(url: string, answer: Response): Failure {
  const to = URL.parse(answer.headers.get('location') ?? '', url)
  return new Failure(
    EXIT.unreachable,
    'moved',
    `${url} sends callers elsewhere${to ? `: ${to.origin}` : ''}.`,
    'An access token is not sent after it. Sign in to that address if it is the instance.',
  )
}
