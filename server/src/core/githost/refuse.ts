import type { GitHostFailure, HostFailureCode } from '../../drivers/githost/githost.ts'
import { DriverFailure, isFailure, notFound, Refusal } from '../../errors.ts'
import type { Choice } from './choose-source.ts'

/** A failure of our own side in the words of the driver. */
export const failed = (
  code: HostFailureCode,
  message: string,
  { hint = 'Connect the git host again.', retryAt = null }: { hint?: string; retryAt?: Date | null } = {},
): GitHostFailure => new DriverFailure('githost', code, message, { hint, facts: { retryAt } })

export const failureIn = (error: unknown): GitHostFailure | null =>
  isFailure<GitHostFailure>(error, 'githost') ? error : null

/** 403s of the host that mean "not for this connection": the caller is told what to do about it, and sees nothing. */
const HIDING = new Set<HostFailureCode>(['sso', 'address_list', 'oauth_restricted'])

export function refusalOf(failure: GitHostFailure): Refusal {
  const { code, message, hint, cause } = failure
  const { retryAt } = failure.facts
  const more = { hint, cause: cause ?? failure }
  const seconds = retryAt === null ? 60 : Math.max(1, Math.ceil((retryAt.getTime() - Date.now()) / 1000))
  if (code === 'busy') return new Refusal('githost_busy', message, { ...more, retryAfter: seconds })
  if (code === 'cloud_unreachable') return new Refusal('cloud_unreachable', message, { ...more, retryAfter: seconds })
  if (code === 'unreachable') return new Refusal('githost_unreachable', message, { ...more, retryAfter: 10 })
  if (code === 'not_found') return notFound('repository')
  if (HIDING.has(code)) return new Refusal('not_found', 'No such repository.', { hint: `${message} ${hint}` })
  if (code === 'unauthorized') return new Refusal('githost_not_connected', message, more)
  if (code === 'invalid') return new Refusal('invalid_request', message, more)
  return new Refusal('githost_forbids', message, more)
}

/** For `catch`: what the host said becomes a refusal, everything else stays what it is. */
export function rethrow(error: unknown): never {
  const failure = failureIn(error)
  throw failure ? refusalOf(failure) : error
}

export function refusalFor(choice: Extract<Choice, { refuse: unknown }>): Refusal {
  if (choice.refuse === 'no_installation') {
    return new Refusal('no_installation', 'No installation of the app covers this repository.', {
      hint: 'Install the app for its owner; a clone token can be made by nothing else.',
    })
  }
  if (choice.refuse === 'githost_forbids') {
    return new Refusal(
      'githost_forbids',
      'The app lacks the permission `administration: write`, and no account is connected.',
      {
        hint: 'Connect an account with POST /api/githost/connect {"source":"oauth"}; apps never create repositories of a person.',
      },
    )
  }
  return new Refusal('githost_not_connected', 'This organization has no connection to a git host.', {
    hint: 'Connect one with POST /api/githost/connect. Where there was one, GET /api/githost/status says what is wrong with it.',
  })
}
