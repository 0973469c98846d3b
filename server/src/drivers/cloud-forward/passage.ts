import type { IncomingHttpHeaders } from 'node:http'
import { DriverFailure } from '../../errors.ts'

/** A call that is passed on: everything that the cloud gets to see of it. */
export type Passed = {
  method: string
  /** With its query, as it came. */
  path: string
  headers: Record<string, string>
  body: Buffer | StreamedBody | null
}

/** A body that is read while it is sent. It is used up by that: such a call is sent once. */
export type StreamedBody = { chunks: AsyncIterable<Uint8Array>; bytes: number }

type Head = { status: number; headers: IncomingHttpHeaders }
type Whole = Head & { body: Buffer }
/** What goes on. It is read, or it is dropped: the connection is held until then. */
export type Streamed = Head & { chunks: AsyncIterable<Buffer>; drop(): void }
export type Answered = Whole | Streamed

export type PassOptions = {
  /** On whose behalf: none of those who ask a cloud takes away what the others have of it. */
  whose: string
  /** Ends it for the caller's own reasons, which says nothing about the cloud. */
  signal: AbortSignal
  /** How long the cloud may take to begin its answer, where that is longer than usual. */
  firstByteMs?: number
  /** It is meant to take long, and has a place among its like. */
  waits?: boolean
  /** Whether an answer of this content type is handed on as it comes. */
  streams?(contentType: string): boolean
}

/** In milliseconds: to connect, until an answer begins, between two pieces of it, for all of it, and of a stream that says nothing. */
export type Deadlines = { connect: number; firstByte: number; stall: number; whole: number; idle: number }

export interface CloudPassage {
  /** Sends a call to the cloud at this address. Rejects with a CloudFailure where there is no whole answer of its own. */
  pass(cloud: string, call: Passed, options: PassOptions): Promise<Answered>
  /** What is known of the cloud at this address without asking it. */
  isAway(cloud: string, whose: string): boolean
  close(): void
}

type CloudFailureCode =
  | 'address_refused'
  | 'away'
  | 'broken_answer'
  | 'busy'
  | 'gateway'
  | 'no_roots'
  | 'redirect'
  | 'timeout'
  | 'unreachable'
  | 'untrusted'

/** `sent`: the call may have reached the cloud, whatever became of the answer. */
type CloudFacts = { retryAfter: number; sent: boolean }
export type CloudFailure = DriverFailure<'cloud', CloudFailureCode, CloudFacts>

const WORDS: Record<CloudFailureCode, [message: string, hint: string, retryAfter: number]> = {
  address_refused: [
    'The address of the hosted cloud is one that this instance does not connect to.',
    'The operator can name it in SLIPWAY_ALLOWED_NETWORKS; without TLS it has to be named there.',
    60,
  ],
  away: ['The hosted cloud does not answer at the moment.', 'It is asked again every few seconds; try again then.', 3],
  broken_answer: ['The hosted cloud sent no whole answer.', 'Try again; a write may have been done all the same.', 5],
  busy: [
    'Too many calls of this organization wait for the hosted cloud already.',
    'Try again in a moment; some room is kept for the others.',
    2,
  ],
  gateway: ['What stands before the hosted cloud answers in its place.', 'Try again in a while.', 5],
  no_roots: [
    'The authorities in SLIPWAY_CLOUD_CA_FILE cannot be read, so the hosted cloud is not asked.',
    'Whoever runs this instance sees to it that the file is there, readable, and has certificates (PEM).',
    60,
  ],
  redirect: [
    'The hosted cloud leads elsewhere, which is not followed.',
    'Link the organization anew, with the address that the cloud has now.',
    60,
  ],
  timeout: ['The hosted cloud did not answer in time.', 'Try again; a write may have been done all the same.', 5],
  unreachable: ['The hosted cloud cannot be reached.', 'Try again in a while; what runs here is not concerned.', 5],
  untrusted: [
    'The certificate of the hosted cloud is not one that this instance trusts, so nothing was sent.',
    'Check the certificate. One of an authority of your own is trusted with SLIPWAY_CLOUD_CA_FILE.',
    60,
  ],
}

export function cloudFailure(code: CloudFailureCode, sent: boolean, cause?: unknown): CloudFailure {
  const [message, hint, retryAfter] = WORDS[code]
  return new DriverFailure('cloud', code, message, { hint, facts: { retryAfter, sent }, cause })
}
