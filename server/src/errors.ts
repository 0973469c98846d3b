import type { ErrorCode } from '@slipway/contract/errors'
import type { LimitKind } from '@slipway/contract/limits'

export type RefusalDetails = {
  hint?: string
  field?: string
  requires?: string
  missing?: string[]
  /** A limit of the organization, with how much of it is used. */
  limit?: { kind: LimitKind; most: number; used: number }
  /** Seconds until it makes sense to ask again. */
  retryAfter?: number
  cause?: unknown
}

/** An expected "no": its message and hint are shown to the caller. Everything else that is thrown is a bug. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly details: RefusalDetails

  constructor(code: ErrorCode, message: string, details: RefusalDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'Refusal'
    this.code = code
    this.details = details
  }
}

/** What a machine outside is to us, one folder of `drivers/` each; `files`: those of a server, whichever way they are read. */
type DriverName =
  | 'acme'
  | 'builder'
  | 'cloud'
  | 'dns-update'
  | 'edge'
  | 'engine'
  | 'files'
  | 'git'
  | 'githost'
  | 'mail'
  | 'registry'
  | 'runtime'
  | 'ssh'
  | 'storage'

type FailureDetails<Facts> = { hint: string; facts?: Facts; cause?: unknown }

/**
 * Something expected that a machine outside could not or would not do, in words for people and without a secret. Each driver says its
 * codes and the facts that come with them as a type beside itself (docs/decisions/0048-what-drivers-share.md).
 */
export class DriverFailure<
  Driver extends DriverName = DriverName,
  Code extends string = string,
  Facts extends object = object,
> extends Error {
  readonly driver: Driver
  readonly code: Code
  /** What to do next. */
  readonly hint: string
  readonly facts: Facts

  constructor(driver: Driver, code: Code, message: string, { hint, facts, cause }: FailureDetails<Facts>) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'DriverFailure'
    this.driver = driver
    this.code = code
    this.hint = hint
    this.facts = facts ?? ({} as Facts)
  }
}

/** Whether this driver failed, with one of these codes where any are named. */
export const isFailure = <Failure extends DriverFailure>(
  error: unknown,
  driver: Failure['driver'],
  ...codes: Failure['code'][]
): error is Failure =>
  error instanceof DriverFailure && error.driver === driver && (codes.length === 0 || codes.includes(error.code))

/** The command was not written right; shells know this as exit code 2. */
export class UsageError extends Error {}

/** One sentence for unknown, deleted and foreign alike: it must not tell which. */
export const notFound = (noun: string) =>
  new Refusal('not_found', `No such ${noun}.`, {
    hint: 'Check the id and that the credential belongs to the right organization.',
  })

const OUTAGE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  '53300', // too many connections
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  '57P03', // cannot connect now
  '25P03', // idle in transaction
  '53200', // out of memory
  '58030', // its disk answers with errors
  '25006', // read only: a replica that was not promoted yet
  '40P01', // deadlock: the other one won
])
const OUTAGE_WORDS =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i

const DATABASE_FULL = '53100'

/** Files of our own that could not be written, and rows that PostgreSQL could not. */
const FULL: Record<string, [message: string, hint: string]> = {
  ENOSPC: ['The disk of this instance is full.', 'Free some space where its data directory lies, then send it again.'],
  EDQUOT: ['The quota of this instance on its disk is used up.', 'Raise the quota, then send it again.'],
  [DATABASE_FULL]: [
    'The disk of the database is full.',
    'Free some space where PostgreSQL keeps its data, then send it again.',
  ],
}

export function diskFull(error: { code?: string | undefined }): Refusal | undefined {
  const words = FULL[error.code ?? '']
  return words && new Refusal('disk_full', words[0], { hint: words[1], retryAfter: 60, cause: error })
}

/** Whether an error that came up from a query means "no database right now". Drivers wrap their own failures. */
export function databaseOutage(error: { code?: string; message: string; cause?: unknown }): Refusal | undefined {
  const code = error.code ?? ''
  if (code === DATABASE_FULL) return diskFull(error)
  const hungUp = code === 'ECONNRESET' && error.message === 'aborted'
  const outage = !hungUp && (OUTAGE_CODES.has(code) || /^08.../.test(code) || OUTAGE_WORDS.test(error.message))
  if (!outage) return undefined
  return new Refusal('database_unavailable', 'The database cannot answer at the moment.', {
    retryAfter: 2,
    hint: 'Try again in a few seconds.',
    cause: error,
  })
}
