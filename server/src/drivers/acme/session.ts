import { within } from '../ssh/within.ts'
import { type AcmeTarget, acmeFailure } from './acme.ts'
import { CaRefusal, failureOf, isBadNonce, type Phase, retryAfterOf } from './problem.ts'
import { type CaAnswer, type CaQuestion, openWay } from './transport.ts'

type Library = typeof import('acme-client')

/** One operation with one CA. */
export type Session = {
  signal: AbortSignal
  library: Library
  client(keyPem: string, accountUrl?: string): InstanceType<Library['Client']>
  /** A question without an account, and so without a signature. */
  get(url: string): Promise<CaAnswer>
  /** Failures in words; `phase` says what it was about. */
  during<T>(phase: Phase, work: () => Promise<T>): Promise<T>
  /** Ends with the signal, whatever `work` does. */
  ended<T>(work: Promise<T>): Promise<T>
  /** How long the CA asked to wait in its last answer. */
  pauseMs(): number | undefined
}

type Limits = { signal: AbortSignal; requestMs: number; deadlineMs: number }

/** Gives the work a session, and ends everything in it when the work, the deadline or the caller's signal does. */
export async function withSession<T>(target: AcmeTarget, limits: Limits, work: (session: Session) => Promise<T>) {
  const { requestMs, deadlineMs } = limits
  limits.signal.throwIfAborted()
  const life = new AbortController()
  const signal = AbortSignal.any([limits.signal, life.signal])
  const late = acmeFailure('ca_timeout', `The CA was not through with it within ${deadlineMs / 1000} s.`)
  const timer = setTimeout(() => life.abort(late), deadlineMs)
  const way = openWay(target, signal, requestMs)
  try {
    const library = await import('acme-client')
    let last: CaAnswer | undefined
    const nonces: string[] = []
    const ask = async (url: string, method: string, question?: CaQuestion) => {
      const answer = await way.ask(url, method.toUpperCase(), question)
      last = answer
      const nonce = answer.headers['replay-nonce']
      if (nonce) nonces.push(nonce)
      if (answer.status >= 300 && !isBadNonce(answer)) throw new CaRefusal(answer)
      return answer
    }
    return await work({
      signal,
      library,
      client: (keyPem, accountUrl) => clientOn(library, { ask, nonces }, { target, keyPem, accountUrl }),
      get: (url) => ask(url, 'GET'),
      during: (phase, action) =>
        action().catch((error) => {
          signal.throwIfAborted()
          throw failureOf(phase, error)
        }),
      ended: (running) => within(running, { signal, deadlineMs, late: () => late }),
      pauseMs: () => {
        const after = last && retryAfterOf(last)
        return after && after.getTime() - Date.now()
      },
    })
  } finally {
    clearTimeout(timer)
    life.abort(late)
    way.close()
  }
}

type Ask = (url: string, method: string, question?: CaQuestion) => Promise<CaAnswer>
type Who = { target: AcmeTarget; keyPem: string; accountUrl: string | undefined }
type Transport = { http: { request: Ask; getNonce(): Promise<string> } }

/**
 * The library signs and knows the protocol; requests are ours. Its own go through one HTTP client for all CAs, are sent
 * again up to five times, and keep of an error only a sentence.
 */
function clientOn(
  library: Library,
  { ask, nonces }: { ask: Ask; nonces: string[] },
  { target, keyPem, accountUrl }: Who,
) {
  const client = new library.Client({
    directoryUrl: target.directoryUrl,
    accountKey: keyPem,
    ...(accountUrl !== undefined && { accountUrl }),
    ...(target.eab && { externalAccountBinding: target.eab }),
  })
  const { http } = client as unknown as Transport
  http.request = ask
  // Each answer brings one; the library would ask for a new one before every request.
  const fresh = http.getNonce.bind(http)
  http.getNonce = async () => {
    const kept = nonces.pop()
    if (kept !== undefined) return kept
    await fresh()
    return nonces.pop() ?? ''
  }
  return client
}
