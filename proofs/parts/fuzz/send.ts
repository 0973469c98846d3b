import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import type { Endpoint } from '@slipway/contract/endpoint'
import { ZodType } from 'zod'
import { type Field, fitting, type Ids, least, schemaOf } from './fields.ts'

// biome-ignore lint/suspicious/noExplicitAny: what came back is looked at field by field
type Loose = any
export type Reply = { status: number; text: string; body: Loose; ms: number }

/** Longer than anything that only asks the database may take on a loaded machine. */
const DEADLINE_MS = 15_000
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
/** Node's own limit for an address and all headers together. */
const MOST_HEAD = 16 * 1024

export type Sender = { url: string; token: string }

/** A request that would be taken, but for one value. */
export function requestWith(field: Field, value: string, ids: Ids): { path: string; body: unknown } {
  const { endpoint, place, hops } = field
  const filled = (where: Field['place']): Record<string, unknown> => {
    const schema = schemaOf(endpoint, where)
    if (schema === undefined) return {}
    return (where === place ? fitting(schema, hops, value, ids) : least(schema, ids)) as Record<string, unknown>
  }
  return { path: addressOf(endpoint, filled('params'), filled('query')), body: bodyOf(endpoint, filled) }
}

const bodyOf = (endpoint: Endpoint, filled: (where: 'body') => unknown) =>
  endpoint.body instanceof ZodType ? filled('body') : endpoint.body && Buffer.alloc(0)

function addressOf(endpoint: Endpoint, params: Record<string, unknown>, query: Record<string, unknown>): string {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encoded(String(params[name])))
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encoded(String(value))}`)
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** Also of what is not Unicode, which encodeURIComponent throws at. A dot would be resolved on the way. */
const encoded = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** Rejects when nothing came back in time. */
export function send(at: Sender, method: string, path: string, body?: unknown): Promise<Reply> {
  const began = performance.now()
  const raw = Buffer.isBuffer(body)
  const payload = body === undefined ? undefined : raw ? body : Buffer.from(JSON.stringify(body))
  return new Promise((done, fail) => {
    const { hostname, port } = new URL(at.url)
    const asked = request({
      // As it is: a URL would resolve dots that are part of a name.
      ...{ hostname, port, path, method },
      // What is too long is refused before it is read whole, and the connection ends with it.
      agent: path.length > MOST_HEAD ? false : agent,
      timeout: DEADLINE_MS,
      headers: {
        authorization: `Bearer ${at.token}`,
        'x-forwarded-for': someAddress(),
        ...(payload && {
          'content-type': raw ? 'application/octet-stream' : 'application/json',
          'content-length': payload.length,
        }),
      },
    })
    asked.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => done(reply(answer.statusCode ?? 0, text, performance.now() - began)))
    })
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${DEADLINE_MS / 1000} s`)))
    asked.on('error', (error) =>
      path.length > MOST_HEAD ? done(reply(431, '', performance.now() - began)) : fail(error),
    )
    asked.end(payload)
  })
}

/** Where requests are counted by address, each is the first. */
const someAddress = () => `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`

function reply(status: number, text: string, ms: number): Reply {
  let body: Loose = null
  try {
    body = JSON.parse(text)
  } catch {
    // Not every answer is JSON.
  }
  return { status, text, body, ms }
}

/** One header with bytes that no HTTP library would send, straight to the socket. */
export function sendHeader(
  at: Sender,
  { method, path, name, value }: Record<'method' | 'path' | 'name' | 'value', string>,
) {
  const { hostname, port } = new URL(at.url)
  const began = performance.now()
  return new Promise<Reply>((done, fail) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error(`no answer within ${DEADLINE_MS / 1000} s`)))
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', (error) => {
      if (Buffer.byteLength(value) > MOST_HEAD) done(reply(431, '', performance.now() - began))
      else fail(error)
    })
    socket.on('end', () => socket.end())
    socket.on('close', () => {
      const [head = '', rest = ''] = text.split('\r\n\r\n', 2)
      done(reply(Number(head.split(' ')[1] ?? 0), rest, performance.now() - began))
    })
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${at.token}`,
      'Connection: close',
      'Content-Type: application/json',
      'Content-Length: 2',
    ]
    socket.write(
      Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n${name}: `), Buffer.from(value), Buffer.from('\r\n\r\n{}')]),
    )
  })
}
