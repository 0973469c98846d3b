import { isFailure } from '../../errors.ts'
import { type GitHostFailure, gitHostFailure } from './githost.ts'
import type { Seen } from './governor.ts'

/** What an error of octokit has, where the host answered at all. */
type HostError = {
  status?: number
  message?: string
  response?: { headers?: Seen['headers']; data?: { message?: string; errors?: { message?: string }[] } }
}

/** Null: there was no answer. */
export function seenIn(error: unknown): Seen | null {
  const { response } = error as HostError
  const { status } = error as HostError
  if (response === undefined || status === undefined) return null
  const { data } = response
  const details = Array.isArray(data?.errors) ? data.errors.map((one) => one.message ?? '').filter(Boolean) : []
  const said = typeof data?.message === 'string' ? data.message : ''
  return { status, headers: response.headers ?? {}, message: [said, ...details].join(': ') }
}

/** A limit or an outage must never read as "not found": everything that is not understood is the host's own trouble. */
export function failureOf(error: unknown, seen: Seen | null, host: string): GitHostFailure {
  if (isFailure<GitHostFailure>(error, 'githost')) return error
  if (seen === null) return unreachable(host, error)
  const { status, headers, message } = seen
  const fail = (code: GitHostFailure['code'], words: string, hint: string) => gitHostFailure(code, words, { hint })
  if (status === 401)
    return fail('unauthorized', `${host} does not accept the credential any more.`, 'Connect the git host again.')
  if (status === 404 || status === 410) return fail('not_found', `${host} knows no such thing.`, 'Check the name.')
  if (status === 403) return forbidden(host, headers, message)
  if (status === 451) return fail('forbidden', `${host} does not give this out.`, 'Ask the host why.')
  if (status === 409 || status === 422) {
    return fail('invalid', `${host} refused it: ${message.slice(0, 300)}`, 'Correct what it names and try again.')
  }
  return unreachable(host, error, ` (${status})`)
}

function forbidden(host: string, headers: Seen['headers'], message: string): GitHostFailure {
  const sso = String(headers['x-github-sso'] ?? '')
  if (sso !== '') {
    const url = /url=(\S+)/.exec(sso)?.[1]
    const where = url === undefined ? 'at the git host' : `at ${url}`
    return gitHostFailure('sso', 'The organization wants single sign-on for this account.', {
      hint: `Authorize the connection for single sign-on ${where}.`,
    })
  }
  if (/IP allow list/i.test(message)) {
    return gitHostFailure('address_list', 'The organization lets only certain addresses in.', {
      hint: 'Ask an owner of it to add the address of this instance to its IP allow list.',
    })
  }
  if (/OAuth App access restrictions/i.test(message)) {
    return gitHostFailure('oauth_restricted', 'The organization has not approved this OAuth app.', {
      hint: 'Ask an owner of it to approve the app, or install the GitHub App there.',
    })
  }
  if (/suspended/i.test(message)) {
    return gitHostFailure('suspended', 'The installation is suspended.', {
      hint: 'Lift the suspension at the git host.',
    })
  }
  return gitHostFailure('forbidden', `${host} does not allow it: ${message.slice(0, 300)}`, {
    hint: permissionHint(headers),
  })
}

/** The host names what would have been enough: scopes of an account, or permissions of an app. */
function permissionHint(headers: Seen['headers']): string {
  const enough = headers['x-accepted-oauth-scopes'] || headers['x-accepted-github-permissions']
  return enough ? `It needs ${enough}.` : 'Give the connection the permission at the git host.'
}

const unreachable = (host: string, cause: unknown, more = '') =>
  gitHostFailure('unreachable', `The git host ${host} could not be reached, or failed${more}.`, {
    hint: 'Try again in a moment; if it stays, look at the status page of the host.',
    // Not the error of octokit itself: it holds the request, and a form has secrets in it.
    cause: (cause as { cause?: unknown }).cause,
  })
