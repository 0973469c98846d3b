import { ApiError } from '@slipway/contract/client'
import { EXIT, Failure } from '../failure.ts'

/** Whatever was thrown, as what a command says at its end and how it exits. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof ApiError) return refused(error)
  const message = error instanceof Error ? error.message : String(error)
  return new Failure(EXIT.unexpected, 'unexpected', message)
}

function refused({ status, body }: ApiError): Failure {
  const { success, error, code, hint, ...more } = body
  return new Failure(exitOf(status, code), code, error, hint ?? hintFor(status), more)
}

function exitOf(status: number, code: string): number {
  if (status === 401) return EXIT.signedOut
  if (status === 403 || status === 404) return EXIT.refused
  // Nobody but a proxy answered, or a server without its database.
  if (code === 'database_unavailable' || (status > 501 && code === 'internal')) return EXIT.unreachable
  return EXIT.unexpected
}

const hintFor = (status: number) => (status === 401 ? 'slipway login signs in.' : null)
