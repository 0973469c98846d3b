import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { getCACertificates } from 'node:tls'
import { guardedLookup, type MayConnect, refuseAddress } from '../ssh/lookup.ts'
import { gitHostFailure } from './githost.ts'

export type TransportOptions = {
  /** Where requests may go, and where answers may lead: to these and nowhere else. */
  origins: string[]
  caFile: string | null
  mayConnect: MayConnect
  deadlineMs?: number
}

const DEADLINE_MS = 10_000
const MOST_BYTES = 30_000_000
const MOST_REDIRECTS = 3

/**
 * `fetch` for octokit. SSRF guard: asked with the resolved address at each connection, and a redirect is followed only
 * to the host itself, because whoever is led elsewhere takes the token along.
 */
export function guardedFetch({ origins, caFile, mayConnect, deadlineMs = DEADLINE_MS }: TransportOptions) {
  let opening: Promise<Agent> | undefined
  const agent = () => {
    opening ??= openAgent(caFile, mayConnect)
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }
  const once = async (url: URL, init: RequestInit): Promise<Response> => {
    if (!origins.includes(url.origin)) throw gitHostFailure('unreachable', 'The git host leads to another host.')
    refuseAddress(url.hostname, mayConnect)
    const signal = AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(init.signal ? [init.signal] : [])])
    return answerOf(await send(url, init, await agent(), signal), signal)
  }
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    let url = new URL(input)
    const safe = (init.method ?? 'GET') === 'GET'
    for (let hops = 0; ; hops++) {
      const answer = await once(url, init)
      const to = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null
      if (to === null) return answer
      if (!safe || hops === MOST_REDIRECTS) throw gitHostFailure('unreachable', 'The git host redirects without end.')
      url = new URL(to, url)
    }
  }
}

async function openAgent(caFile: string | null, mayConnect: MayConnect): Promise<Agent> {
  const own = caFile === null ? [] : [await readFile(caFile, 'utf8')]
  const ca = own.length === 0 ? undefined : [...getCACertificates('default'), ...own]
  return new Agent({ keepAlive: true, maxSockets: 64, lookup: guardedLookup(mayConnect), ...(ca && { ca }) })
}

const send = (url: URL, init: RequestInit, agent: Agent, signal: AbortSignal) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const body = init.body as string | undefined
    // Said by ourselves: with DELETE, node sends a body without it, and nobody reads that.
    const length = body ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const headers = { ...(init.headers as Record<string, string>), ...length }
    const asked = httpsRequest(url, { agent, signal, method: init.method ?? 'GET', headers }, resolve)
    asked.on('error', reject)
    asked.end(body)
  })

async function answerOf(message: IncomingMessage, signal: AbortSignal): Promise<Response> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    signal.throwIfAborted()
    size += chunk.length
    if (size > MOST_BYTES) throw gitHostFailure('unreachable', 'The git host answered with more than is taken.')
    chunks.push(chunk)
  }
  const status = message.statusCode ?? 502
  const headers = Object.entries(message.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  const empty = status === 204 || status === 205 || status === 304
  return new Response(empty ? null : Buffer.concat(chunks), { status, headers })
}
