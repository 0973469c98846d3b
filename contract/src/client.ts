import type { z } from 'zod'
import type { Endpoint, ResponseOf, SentBody, SentParams, SentQuery } from './endpoint.ts'
import type { endpoints } from './endpoints.ts'
import type { ErrorBody } from './errors.ts'
import { paths } from './paths.ts'

type Options = {
  url: string
  /** An access token; a browser leaves it out and sends its session cookie. */
  token?: string
  fetch?: Fetch
}

/** What is needed of fetch. The global one fits; who finds it too large brings something smaller. */
export type Fetch = (url: URL, init: Init) => Promise<Answered>
export type Init = { method: string; headers: Record<string, string>; body?: StreamBody; signal?: AbortSignal }

/** What is needed of its answers: a `Response` has all of it. */
export type Answered = {
  readonly status: number
  readonly ok: boolean
  readonly headers: { get(name: string): string | null }
  readonly body: { getReader(): BytesReader } | null
  text(): Promise<string>
  json(): Promise<unknown>
}
export type BytesReader = {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** What is sent as it is. */
type StreamBody = string | Uint8Array<ArrayBuffer>
type Needed<K extends string, T> = [T] extends [undefined] ? { [P in K]?: undefined } : { [P in K]: T }
type BodyPart<E extends Endpoint> = E['body'] extends undefined | never
  ? { body?: undefined }
  : { body?: SentBody<E> | StreamBody }

export type Call<E extends Endpoint> = Needed<'params', SentParams<E>> & { query?: SentQuery<E> } & BodyPart<E> & {
    headers?: Record<string, string>
    signal?: AbortSignal
  }

/** A stream is handed over as it is. */
type Answer<E extends Endpoint> = E['response'] extends z.ZodType
  ? ResponseOf<E> | (E extends { alsoAnswers: readonly string[] } ? Answered : never)
  : Answered
type Method<E extends Endpoint> = (
  ...input: E extends { params: z.ZodObject } | { body: z.ZodType } ? [Call<E>] : [Call<E>?]
) => Promise<Answer<E>>
type Area<T> = { [K in keyof T]: T[K] extends Endpoint ? Method<T[K]> : never }
export type Client = { [K in keyof typeof endpoints]: Area<(typeof endpoints)[K]> }

/** What the API refused, with its code to branch on. */
export class ApiError extends Error {
  readonly status: number
  readonly body: ErrorBody
  /** Seconds, where the server says when to come back. */
  readonly retryAfter: number | null
  constructor(status: number, body: ErrorBody, retryAfter: number | null = null) {
    super(body.error)
    this.name = 'ApiError'
    this.status = status
    this.body = body
    this.retryAfter = retryAfter
  }
}

/** A typed client of the table the server answers from, without its schemas: `client.projects.show({ params: { id } })`. */
export function createClient(options: Options): Client {
  // Made when it is asked for: most programs that start for a moment use one area of twenty.
  const areaOf = (rows: Record<string, readonly string[]>) =>
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, (call = {}) => send(options, row, call)]))
  const get = (_: unknown, area: string | symbol) =>
    Object.hasOwn(paths, area) ? areaOf(paths[area as keyof typeof paths]) : undefined
  return new Proxy<Client>({} as Client, { get })
}

type Loose = {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

async function send(options: Options, [line = '', ...streams]: readonly string[], call: Loose): Promise<unknown> {
  const [method = '', template = ''] = line.split(' ')
  const path = template.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(call.params?.[name])))
  const url = new URL(path, options.url)
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  const json = call.body !== undefined && isPlain(call.body)
  const headers = {
    ...(options.token && { authorization: `Bearer ${options.token}` }),
    ...(json && { 'content-type': 'application/json' }),
    ...call.headers,
  }
  const init: Init = { method, headers }
  if (call.body !== undefined) init.body = json ? JSON.stringify(call.body) : (call.body as StreamBody)
  if (call.signal) init.signal = call.signal
  const response = await (options.fetch ?? fetch)(url, init)
  if (!response.ok) {
    const later = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw new ApiError(response.status, await refusalIn(response), Number.isFinite(later) ? later : null)
  }
  const given = response.headers.get('content-type') ?? ''
  const streamed = streams.some((type) => type === '*' || given.startsWith(type))
  return streamed ? response : response.json()
}

const isPlain = (body: unknown) =>
  typeof body === 'object' && body !== null && [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(body))

/** Something between us and the server may have answered instead of it. */
async function refusalIn(response: Answered): Promise<ErrorBody> {
  const text = await response.text()
  try {
    const body = JSON.parse(text)
    if (typeof body.code === 'string') return body
  } catch {}
  return { success: false, error: `The server answered ${response.status}.`, code: 'internal', requestId: '' }
}
