import type { z } from 'zod'
import type { Permission } from './permissions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export const MODES = ['self_hosted', 'cloud'] as const
export type Mode = (typeof MODES)[number]

export type Access = { permission: Permission } | { public: string }

/** One line of the API: what a client may send, what it gets, and who may ask. */
export type Endpoint = {
  method: Method
  /** With `:name` for each key of `params`. */
  path: string
  summary: string
  access: Access
  /** What the caller must hold besides, once it is known that there is such a thing for them. */
  alsoNeeds?: Permission
  /** How long an answer may take, where that is longer than usual: whoever passes a call on waits for it. */
  slowMs?: number
  /** The one mode that serves it: in the other there is no such path, and it answers 404. */
  only?: Mode
  params?: z.ZodObject
  query?: z.ZodObject
  /** The body is handed on as the bytes that came: a signature is over them. */
  raw?: true
  /** A schema for JSON, or the content type of a body that is streamed. */
  body?: z.ZodType | { stream: string }
  /** The content type of a stream that may be sent instead of the JSON body. */
  orStream?: string
  response: z.ZodType | { stream: string }
  /** Content types of streams that may be answered instead of JSON, where the caller asks for them. */
  alsoAnswers?: readonly string[]
  status?: 200 | 201 | 202
  /** A body that would be accepted; shown in the docs and sent by the access matrix. */
  example?: unknown
  /** Largest JSON body in bytes, where the default is too small. */
  bodyLimit?: number
  /** Answers hold secrets, or what is true only now: they must be asked for anew, so none is kept for an Idempotency-Key. */
  neverKept?: true
  /** Why calls of a credential that is good are not counted, neither for it nor for its address. */
  unlimited?: string
  /** Most calls in a minute from one address, where each of them is dear. */
  perMinute?: number
  /** Why a write leaves no audit entry of its own. */
  unaudited?: string
}

/** Keeps the literal types of a row, so that server and client derive theirs from it. */
export const endpoint = <const E extends Endpoint>(row: E): E => row

export const isServedIn = (mode: Mode, { only }: Endpoint): boolean => only === undefined || only === mode

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined
type Sent<S> = S extends z.ZodType ? z.input<S> : undefined

export type ParamsOf<E extends Endpoint> = Parsed<E['params']>
export type QueryOf<E extends Endpoint> = Parsed<E['query']>
export type BodyOf<E extends Endpoint> = E['body'] extends z.ZodType ? z.output<E['body']> : undefined
export type ResponseOf<E extends Endpoint> = E['response'] extends z.ZodType ? z.output<E['response']> : undefined

export type SentParams<E extends Endpoint> = Sent<E['params']>
export type SentQuery<E extends Endpoint> = Sent<E['query']>
export type SentBody<E extends Endpoint> = E['body'] extends z.ZodType ? z.input<E['body']> : unknown
