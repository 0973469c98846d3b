import { type ClientRequest, type IncomingMessage, type Agent as PlainAgent, request as plainRequest } from 'node:http'
import { type Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { cloudFailure, type Deadlines, type Passed } from './passage.ts'

/**
 * Reads share connections that stay. A write has one of its own: one that the other side ends at that moment would leave it open whether
 * the write was done.
 */
export type Agents = { kept: PlainAgent | TlsAgent; fresh: PlainAgent | TlsAgent }
export type Asking = { base: URL; agents: Agents; deadlines: Deadlines }
type SendOptions = { signal: AbortSignal; firstByteMs: number }

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

function once({ base, agents, deadlines }: Asking, call: Passed, { signal, firstByteMs }: SendOptions): Promise<Sent> {
  const tls = base.protocol === 'https:'
  const reading = call.method === 'GET'
  return new Promise((resolve, reject) => {
    const asked = (tls ? tlsRequest : plainRequest)({
      ...urlToHttpOptions(base),
      path: base.pathname.replace(/\/+$/, '') + call.path,
      method: call.method,
      headers: { ...call.headers, ...(call.body && { 'content-length': String(call.body.length) }) },
      agent: reading ? agents.kept : agents.fresh,
      signal,
    })
    const connected = connecting(asked, tls, deadlines.connect)
    const late = setTimeout(() => asked.destroy(cloudFailure('timeout', true)), firstByteMs)
    const over = () => clearTimeout(late)
    asked.once('response', (message) => {
      over()
      resolve(message)
    })
    asked.on('error', (error: Error & { code?: string }) => {
      over()
      const stale = reading && asked.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted
      if (stale) resolve({ stale: asFailure(error, true) })
      else reject(signal.aborted ? signal.reason : asFailure(error, connected()))
    })
    asked.once('close', over)
    asked.end(call.body ?? undefined)
  })
}

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
  return cloudFailure(sent ? 'broken_answer' : 'unreachable', sent, error)
}
