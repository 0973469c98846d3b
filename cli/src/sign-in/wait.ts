import { ApiError, type Client } from '@slipway/contract/client'
import { EXIT, Failure } from '../failure.ts'
import { pause } from '../instance/pause.ts'

export type Granted = Awaited<ReturnType<Client['cliLogin']['token']>>
type Asked = { requestId: string; verifier: string; expiresIn: number; interval: number }

/** RFC 8628, 3.5: so much longer from then on. */
const SLOWER_SECONDS = 5
/** Between two tries to hand over a code that a browser has brought. */
const HAND_OVER_SECONDS = 1
const ANSWER_MS = 30_000

/**
 * Until somebody has decided, and no longer than the request lives. A browser of this machine may bring a code, which is handed
 * over at once; one elsewhere does not, so it is asked for the token all the same.
 */
export async function waitForToken(api: Client, asked: Asked, brought: Promise<string> | null, signal: AbortSignal) {
  const until = performance.now() + asked.expiresIn * 1000
  const { requestId, verifier } = asked
  let seconds = asked.interval
  let code: string | null = null
  while (performance.now() < until) {
    if (code === null) code = await codeWithin(seconds, brought, signal)
    else await pause(HAND_OVER_SECONDS * 1000, signal)
    const body = { requestId, verifier, ...(code !== null && { code }) }
    const inTime = AbortSignal.timeout(wholeMs(until - performance.now()))
    const asking = api.cliLogin.token({ body, signal: AbortSignal.any([signal, inTime]) })
    const answer = await asking.catch((error) => asNotYet(error, inTime))
    if (typeof answer !== 'string') return answer
    if (answer === 'slow_down') seconds += SLOWER_SECONDS
  }
  throw over('Nobody answered in time.')
}

/** A signal takes no parts of a millisecond. */
const wholeMs = (left: number) => Math.ceil(Math.max(1, Math.min(ANSWER_MS, left)))

/** Whichever comes first: a code, or the moment to ask without one. */
async function codeWithin(
  seconds: number,
  brought: Promise<string> | null,
  signal: AbortSignal,
): Promise<string | null> {
  const done = new AbortController()
  const rest = pause(seconds * 1000, AbortSignal.any([signal, done.signal])).then(() => null)
  try {
    return await (brought === null ? rest : Promise.race([brought, rest]))
  } finally {
    done.abort()
  }
}

/** What goes away by itself, within the life of the request. */
const LATER = new Set(['rate_limited', 'database_unavailable', 'unreachable'])

function asNotYet(error: unknown, inTime: AbortSignal): 'pending' | 'slow_down' {
  const code = error instanceof ApiError ? error.body.code : error instanceof Failure ? error.code : ''
  if (code === 'slow_down') return code
  if (code === 'authorization_pending' || LATER.has(code)) return 'pending'
  if (error instanceof ApiError && error.status >= 500) return 'pending'
  if (code === 'access_denied')
    throw new Failure(EXIT.refused, code, 'The sign-in was refused in the browser.', 'Nothing was changed here.')
  if (code === 'expired_token') throw over('The sign-in has expired.')
  if (error instanceof ApiError && code === 'invalid_grant') throw over(error.message, code)
  // An instance that did not answer in time is asked again, or it is over.
  if (inTime.aborted) return 'pending'
  throw error
}

const over = (message: string, code = 'expired_token') =>
  new Failure(EXIT.signedOut, code, message, 'Run slipway login again.')
