import { isFailure } from '../../errors.ts'
import { type GitFailure, type GitFailureCode, gitFailure } from './git.ts'

type Words = { code: GitFailureCode; pattern: RegExp; message: (host: string) => string; hint?: string }

/** git tells what went wrong only in words; these are from git 2.30 to 2.50 and OpenSSH, in the C locale. */
const known: Words[] = [
  {
    code: 'git_host_key_refused',
    pattern: /host key verification failed|remote host identification has changed/i,
    message: (host) => `${host} showed another host key than the confirmed one.`,
  },
  {
    code: 'git_auth_failed',
    pattern:
      /could not read (?:username|password)|authentication failed|terminal prompts disabled|returned error: 40[13]|permission denied \(|access denied|error in libcrypto|invalid format/i,
    message: (host) => `${host} did not accept the credential, or asks for one.`,
  },
  {
    code: 'git_repository_not_found',
    pattern:
      /repository '.*' not found|returned error: (?:404|410)|does not appear to be a git repository|repository not found|not valid: is this a git repository/i,
    message: (host) => `${host} has no such repository.`,
  },
  {
    code: 'git_repository_not_found',
    pattern: /returned error: 30\d|unable to update url base from redirection/i,
    message: (host) => `${host} says that the repository has moved; use its new address.`,
  },
  {
    code: 'git_branch_missing',
    pattern: /couldn't find remote ref refs\/heads|couldn't find remote ref HEAD/i,
    message: (host) => `The repository on ${host} has no such branch.`,
  },
  {
    code: 'git_commit_missing',
    pattern: /not our ref|unadvertised object|couldn't find remote ref [0-9a-f]{40}/i,
    message: (host) => `The repository on ${host} no longer has this commit.`,
  },
  {
    code: 'git_timeout',
    pattern: /operation too slow|timed out/i,
    message: (host) => `${host} did not answer in time.`,
  },
  {
    code: 'git_unreachable',
    pattern:
      /could not resolve|failed to connect|couldn't connect|connection (?:refused|reset|closed)|no route to host|network is unreachable|early eof|hung up|returned error: 5\d\d|empty reply/i,
    message: (host) => `${host} cannot be reached, or ended the connection.`,
  },
  {
    code: 'git_unreachable',
    pattern: /certificate|ssl|tls/i,
    message: (host) => `No trusted connection to ${host} came about: its certificate or protocol was refused.`,
    hint: "Look at the name and dates of the server's certificate. If it comes from an authority of your own, whoever runs this instance names that one in SLIPWAY_GIT_CA_FILE.",
  },
]

/** A failure in words for what git said before it ended. */
export function explain(stderr: string, host: string, secrets: string[]): GitFailure {
  const cause = new Error(lastLines(stderr, secrets))
  for (const { code, pattern, message, hint } of known) {
    if (pattern.test(stderr)) return gitFailure(code, message(host), cause, hint)
  }
  return gitFailure('git_failed', `git could not read the repository on ${host}.`, cause)
}

const WAYS: ReadonlySet<unknown> = new Set<GitFailureCode>(['git_unreachable', 'git_timeout', 'git_address_refused'])

/** The same words whether a name leads nowhere, an address is refused, a port is closed, or something else listens there. */
export function tersely(error: unknown, host: string): unknown {
  if (!isFailure<GitFailure>(error, 'git') || !WAYS.has(error.code)) return error
  return gitFailure('git_unreachable', `No trusted connection to a git server at ${host} came about.`, error)
}

/** For our own log. git does not repeat credentials, but the server's words come through it, too. */
function lastLines(stderr: string, secrets: string[]): string {
  const lines = stderr.trim().split('\n').slice(-5).join('\n').slice(-1000)
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), lines)
}
