import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { getCACertificates } from 'node:tls'
import { guardedLookup, refuseAddress } from '../ssh/lookup.ts'
import { type LoginCheck, registryFailure } from './registry.ts'

export type Answer = { status: number; challenge: string; body: string }
export type Ask = (url: URL, authorization?: string) => Promise<Answer>

/** A token of several kilobytes is not unusual; a page of megabytes is no answer of a registry. */
const MOST_BYTES = 1 << 20

/**
 * One line to the outside for one check. SSRF guard: asked with the resolved address at each connection, and no redirect is
 * followed, because whoever is led elsewhere takes the password along.
 */
export function openLine(options: LoginCheck, roots: string[]): { ask: Ask; close(): void } {
  const { mayConnect, mayConnectPlain, signal } = options
  const ca = roots.length === 0 ? {} : { ca: [...getCACertificates('default'), ...roots] }
  const secure = new HttpsAgent({ keepAlive: true, lookup: guardedLookup(mayConnect), ...ca })
  const plain = new HttpAgent({ keepAlive: true, lookup: guardedLookup(mayConnectPlain) })
  return {
    async ask(url, authorization) {
      const isPlain = url.protocol === 'http:'
      refuseAddress(url.hostname, isPlain ? mayConnectPlain : mayConnect)
      const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) }
      const message = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = isPlain
          ? httpRequest(url, { agent: plain, signal, headers }, resolve)
          : httpsRequest(url, { agent: secure, signal, headers }, resolve)
        sent.on('error', reject).end()
      })
      const challenge = message.headers['www-authenticate'] ?? ''
      return { status: message.statusCode ?? 0, challenge, body: await textOf(message) }
    },
    close() {
      secure.destroy()
      plain.destroy()
    },
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BYTES) throw registryFailure('no_registry', 'What answers there says more than a registry would.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
