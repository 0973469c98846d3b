import {
  type ClientRequest,
  type IncomingMessage,
  type Agent as PlainAgent,
  request as plainRequest,
  type RequestOptions,
} from 'node:http'
import { type Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { cloudFailure, type Deadlines, type Passed, type StreamedBody } from './passage.ts'
import { writeBody } from './write-body.ts'

/**
 * Reads share connections that stay. A write has one of its own: one that the other side ends at that moment would leave it open whether
 * the write was done.
 */
export type Agents = { kept: PlainAgent | TlsAgent; fresh: PlainAgent | TlsAgent }
/** What is the same for each call of one cloud, and so is made once. */
export type Asking = { to: RequestOptions; prefix: string; agents: Agents; deadlines: Deadlines }
type SendOptions = { signal: AbortSignal; firstByteMs: number }

export function askingAt(base: URL, agents: Agents, deadlines: Deadlines): Asking {
  const { protocol, hostname, port, auth } = urlToHttpOptions(base)
  return {
    to: { protocol, hostname, port, auth } as RequestOptions,
    prefix: base.pathname.replace(/\/+$/, ''),
    agents,
    deadlines,
  }
}

/** Sends a call and waits until its answer begins. Whatever goes wrong is a CloudFailure, so that nobody takes it for the database's. */
export async function send(asking: Asking, call: Passed, options: SendOptions): Promise<IncomingMessage> {
  const first = await once(asking, call, options)
  if (!('stale' in first)) return first
  // A connection that had ended while it lay idle: nothing was read of the call.
  const second = await once({ ...asking, agents: { ...asking.agents, kept: asking.agents.fresh } }, call, options)
  if ('stale' in second) throw second.stale
  return second
}

type Sent = IncomingMessage | { stale: Error }

function once(
  { to, prefix, agents, deadlines }: Asking,
  call: Passed,
  { signal, firstByteMs }: SendOptions,
): Promise<Sent> {
  const tls = to.protocol === 'https:'
  const reading = call.method === 'GET'
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const asked = (tls ? tlsRequest : plainRequest)({
      ...to,
      path: prefix + call.path,
      method: call.method,
      headers: call.body ? { ...call.headers, ...lengthOf(call.body) } : call.headers,
      agent: reading ? agents.kept : agents.fresh,
    })
    const connected = connecting(asked, tls, deadlines.connect)
    const answerIn = deadlineOf(asked, firstByteMs)
    // The request has an option for it, which watches all of its streams to do the same.
    const left = () => asked.destroy()
    signal.addEventListener('abort', left)
    asked.once('response', resolve)
    asked.on('error', (error: Error & { code?: string }) => {
      const stale = reading && asked.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted
      if (stale) resolve({ stale: asFailure(error, true) })
      else reject(signal.aborted ? signal.reason : asFailure(error, connected()))
    })
    asked.once('close', () => signal.removeEventListener('abort', left))
    const { body } = call
    if (body === null || !('chunks' in body)) return void asked.end(body ?? undefined)
    writeBody(asked, body, { moved: () => answerIn(deadlines.stall), sent: () => answerIn(firstByteMs) }).catch(
      (error) => {
        // Our own side could not go on: that says nothing about the cloud.
        reject(error)
        asked.destroy()
      },
    )
  })
}

/** Ends a call whose answer does not begin in time; the time may be set anew until it does. */
function deadlineOf(asked: ClientRequest, firstMs: number): (ms: number) => void {
  const late = () => asked.destroy(cloudFailure('timeout', true))
  let timer: NodeJS.Timeout | undefined = setTimeout(late, firstMs)
  const over = () => {
    clearTimeout(timer)
    timer = undefined
  }
  asked.once('response', over)
  asked.once('close', over)
  return (ms) => {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = setTimeout(late, ms)
  }
}

/** Nobody has to guess where it ends. */
const lengthOf = (body: Buffer | StreamedBody) => ({
  'content-length': String('chunks' in body ? body.bytes : body.length),
})

/** Ends a call whose connection is not there in time; says whether it has come to be. */
function connecting(asked: ClientRequest, tls: boolean, deadlineMs: number): () => boolean {
  let there = false
  asked.once('socket', (socket: Socket) => {
    there = !socket.connecting
    if (there) return
    const late = setTimeout(() => asked.destroy(cloudFailure('unreachable', false)), deadlineMs)
    asked.once('close', () => clearTimeout(late))
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      there = true
      clearTimeout(late)
    })
  })
  return () => there
}

function asFailure(error: Error & { code?: string; driver?: string }, sent: boolean) {
  if (error.driver === 'cloud') return error
  if (error.code === 'ADDRESS_REFUSED') return cloudFailure('address_refused', false, error)
  if (UNTRUSTED.test(error.code ?? '')) return cloudFailure('untrusted', false, error)
  return cloudFailure(sent ? 'broken_answer' : 'unreachable', sent, error)
}

/** Of the certificate, by OpenSSL's words and Node's own; it is judged before anything is sent. */
const UNTRUSTED = /^(?:ERR_TLS_CERT_|CERT_|UNABLE_TO_(?:GET|VERIFY)_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(?:CA|PURPOSE))/
