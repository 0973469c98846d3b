import type { Readable } from 'node:stream'
import type { BodyOf, Endpoint, ParamsOf, QueryOf, ResponseOf } from '@slipway/contract/endpoint'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ZodType } from 'zod'
import type { Caller } from '../core/access/caller.ts'

/** What a handler is given: everything checked against the endpoint's schemas, and who asks. */
export type Input<E extends Endpoint> = {
  caller: E['access'] extends { public: string } ? null : Caller
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  /** The body of a route that takes a stream, when it is one. */
  stream: E extends { orStream: string } ? Readable | null : Readable
  /** The version named by If-Match, when the caller wants to change only what it has seen. */
  ifMatch: number | null
  request: FastifyRequest
  reply: FastifyReply
}

/** A route that answers with a stream sends it itself and returns nothing. */
type Handler<E extends Endpoint> = (
  input: Input<E>,
) => Promise<
  E['response'] extends ZodType ? ResponseOf<E> | (E extends { alsoAnswers: readonly string[] } ? null : never) : void
>

export type Route = { endpoint: Endpoint; handle(input: Input<Endpoint>): Promise<unknown> }

/** One row of a route table: an endpoint of the contract and what answers it. */
export const on = <const E extends Endpoint>(endpoint: E, handle: Handler<E>): Route => ({
  endpoint,
  handle: handle as unknown as Route['handle'],
})
