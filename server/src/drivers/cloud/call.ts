import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { getCACertificates } from 'node:tls'
import { DriverFailure } from '../../errors.ts'
import { guardedLookup, type MayConnect, refuseAddress } from '../ssh/lookup.ts'
import { cloudFailure } from './cloud.ts'

export type CallOptions = {
  url: string
  /** Certificates of authorities beyond the usual ones. */
  extraRoots(): Promise<string[]>
  /** Asked with every address that is connected to. */
  mayConnect: MayConnect
  /** The same, for what is sent without TLS. */
  mayConnectPlain: MayConnect
  deadlineMs?: number
}

export type CloudAnswer = { status: number; body: Record<string, unknown>; retryAfter: number | null }
export type Call = (method: string, path: string, sent?: { body?: object; credential?: string }) => Promise<CloudAnswer>

/** Somebody waits for the answer, and nothing of this instance may wait for the cloud any longer. */
const DEADLINE_MS = 5000
const MOST_BYTES = 256 * 1024

/**
 * One request to the cloud. SSRF guard: asked with the resolved address at each connection. No redirect is followed, because whoever is
 * led elsewhere takes the credential along; answers are read up to a bound.
 */
export function cloudCall(options: CallOptions): Call {
  const { url, deadlineMs = DEADLINE_MS } = options
  let opening: Promise<Send> | undefined
  const open = () => {
    opening ??= openSend(options)
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }
  return async (method, path, { body, credential } = {}) => {
    const signal = AbortSignal.timeout(deadlineMs)
    const content = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      accept: 'application/json',
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
    }
    try {
      const send = await open()
      const message = await send(new URL(path, url), { method, headers, signal }, content)
      return await answerOf(message, url)
    } catch (error) {
      throw explain(error, url, signal.aborted)
    }
  }
}

type Init = { method: string; headers: Record<string, string>; signal: AbortSignal }
type Send = (url: URL, init: Init, content: string | undefined) => Promise<IncomingMessage>

async function openSend({ extraRoots, mayConnect, mayConnectPlain }: CallOptions): Promise<Send> {
  const roots = await extraRoots()
  const ca = roots.length === 0 ? {} : { ca: [...getCACertificates('default'), ...roots] }
  const secure = new HttpsAgent({ lookup: guardedLookup(mayConnect), ...ca })
  const plain = new HttpAgent({ lookup: guardedLookup(mayConnectPlain) })
  return (url, init, content) => {
    const isPlain = url.protocol === 'http:'
    refuseAddress(url.hostname, isPlain ? mayConnectPlain : mayConnect)
    return new Promise((resolve, reject) => {
      const sent = isPlain
        ? httpRequest(url, { ...init, agent: plain }, resolve)
        : httpsRequest(url, { ...init, agent: secure }, resolve)
      sent.on('error', reject).end(content)
    })
  }
}

async function answerOf(message: IncomingMessage, url: string): Promise<CloudAnswer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BYTES) throw cloudFailure('no_cloud', `What answers at ${url} says more than a cloud would.`)
    chunks.push(chunk)
  }
  const status = message.statusCode ?? 0
  if (status >= 300 && status < 400) throw cloudFailure('no_cloud', `What answers at ${url} leads elsewhere.`)
  if (status >= 500) throw cloudFailure('cloud_unreachable', `${url} answers with an error of its own (${status}).`)
  const seconds = Number(message.headers['retry-after'] ?? Number.NaN)
  const retryAfter = Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, MOST_SECONDS) : null
  return { status, body: parsed(Buffer.concat(chunks).toString('utf8')), retryAfter }
}

const MOST_SECONDS = 600

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}

function explain(error: unknown, url: string, late: boolean): unknown {
  if (error instanceof DriverFailure) return error
  const { code = '' } = error as { code?: string }
  if (late) return cloudFailure('cloud_unreachable', `${url} did not answer in time.`)
  if (code === 'ADDRESS_REFUSED')
    return cloudFailure('address_refused', `${url} leads to an address that this instance does not connect to.`)
  if (/^(?:ERR_TLS|EPROTO|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|ERR_SSL)/.test(code))
    return cloudFailure('cloud_untrusted', `There is no safe connection to ${url}: ${code}.`)
  return cloudFailure('cloud_unreachable', `${url} cannot be reached${code && `: ${code}`}.`)
}
