import { Agent, request } from 'node:https'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { isFailure } from '../../errors.ts'
import { type AcmeFailure, type AcmeTarget, acmeFailure } from './acme.ts'

export type CaAnswer = { status: number; headers: Record<string, string | undefined>; data: unknown }
export type CaQuestion = { data?: unknown; headers?: Record<string, string> }

/** The way to one CA for one operation. */
export type CaWay = {
  ask(url: string, method: string, question?: CaQuestion): Promise<CaAnswer>
  close(): void
}

/** Chains are some kilobytes; what is longer is no answer of a CA. */
const MOST_BYTES = 1_000_000

/** Each request has a deadline, ends with the signal, follows no redirect, and is sent once. */
export function openWay(target: AcmeTarget, signal: AbortSignal, requestMs: number): CaWay {
  // Trust belongs to the target: nothing of it is visible to another.
  const agent = new Agent({ keepAlive: true, maxSockets: 4, secureContext: contextFor(target.roots) })
  return {
    ask: (url, method, question = {}) => send({ agent, signal, requestMs }, url, method, question),
    close: () => agent.destroy(),
  }
}

/** Reading all authorities takes a while, and there is hardly ever more than one CA. */
const contexts = new Map<string, SecureContext>()
const MOST_CONTEXTS = 20

function contextFor(roots = ''): SecureContext {
  const known = contexts.get(roots)
  if (known) return known
  if (contexts.size >= MOST_CONTEXTS) contexts.clear()
  try {
    const made = createSecureContext({ ca: [...getCACertificates('default'), ...(roots ? [roots] : [])] })
    contexts.set(roots, made)
    return made
  } catch (cause) {
    throw acmeFailure('ca_unreachable', 'The root certificate the CA is to be trusted by cannot be read.', {
      cause,
    })
  }
}

type Limits = { agent: Agent; signal: AbortSignal; requestMs: number }

async function send({ agent, signal, requestMs }: Limits, url: string, method: string, question: CaQuestion) {
  signal.throwIfAborted()
  const where = placeOf(url)
  const life = new AbortController()
  const late = acmeFailure('ca_timeout', `The CA at ${where.host} did not answer within ${requestMs / 1000} s.`)
  const timer = setTimeout(() => life.abort(late), requestMs)
  try {
    return await exchange(where, { agent, method, signal: AbortSignal.any([signal, life.signal]) }, question)
  } catch (error) {
    signal.throwIfAborted()
    if (life.signal.aborted) throw late
    if (isFailure<AcmeFailure>(error, 'acme')) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const what = `The CA at ${where.host} cannot be reached: ${message || code}.`
    throw acmeFailure('ca_unreachable', what, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

function placeOf(url: string): URL {
  const where = URL.parse(url)
  if (where?.protocol === 'https:') return where
  throw acmeFailure('ca_failed', `${JSON.stringify(url.slice(0, 200))} is not an https address of a CA.`)
}

type Call = { agent: Agent; method: string; signal: AbortSignal }

function exchange(where: URL, call: Call, { data, headers }: CaQuestion): Promise<CaAnswer> {
  const body = data === undefined ? undefined : JSON.stringify(data)
  const sent = { 'user-agent': 'slipway', ...(body && { 'content-type': 'application/jose+json' }), ...headers }
  return new Promise((resolve, reject) => {
    const asked = request(where, { ...call, headers: sent }, (response) => {
      const parts: Buffer[] = []
      let size = 0
      response.on('error', reject).on('data', (part: Buffer) => {
        size += part.length
        if (size > MOST_BYTES) asked.destroy(acmeFailure('ca_failed', `The CA at ${where.host} answered too much.`))
        else parts.push(part)
      })
      response.on('end', () => {
        const status = response.statusCode ?? 0
        const answered = response.headers as CaAnswer['headers']
        try {
          const text = Buffer.concat(parts).toString('utf8')
          resolve({ status, headers: answered, data: read(where, { status, type: answered['content-type'], text }) })
        } catch (error) {
          reject(error)
        }
      })
    })
    asked.on('error', reject).end(body)
  })
}

type Said = { status: number; type: string | undefined; text: string }

/** An object or a certificate. An error may look like anything: what it says is lost then, its status is not. */
function read({ host }: URL, { status, type = '', text }: Said): unknown {
  if (text === '' || text.startsWith('-----BEGIN CERTIFICATE-----')) return text
  const json = /\bjson\b/i.test(type) ? parsed(text) : undefined
  if (json !== undefined || status >= 400) return json
  throw acmeFailure('ca_failed', `The CA at ${host} answered ${status} with something else than ACME says.`)
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
