import type { Readable } from 'node:stream'
import { DriverFailure } from '../../errors.ts'

/** Any git server, over HTTPS or SSH. */
export interface Git {
  /** What a branch is right now. A deployment asks once and keeps the commit. */
  resolve(source: GitSource, signal: AbortSignal): Promise<GitCommit>
  /**
   * Brings one commit, without its history, into the bare repository `directory` (made if missing). A commit that is
   * there already is not fetched again. Warnings name what a build will miss.
   */
  fetch(source: GitSource, commitSha: string, directory: string, signal: AbortSignal): Promise<{ warnings: string[] }>
  /** The files of a fetched commit, read from the object store: nothing is ever checked out. */
  tree(directory: string, commitSha: string, signal?: AbortSignal): Promise<SourceTree>
}

export type GitSource = {
  /** `https://…`, `ssh://user@host[:port]/path` or `user@host:path`, without a password in it. */
  url: string
  /** null: the one the server calls its default. */
  branch: string | null
  /** null: a public repository over HTTPS. */
  credential: GitCredential | null
}

export type GitCredential =
  /** The user name differs between hosts and mostly does not matter; GitHub's word for it is the default. */
  | { kind: 'token'; token: string; username?: string }
  /** `hostKeys`: lines such as `ssh-ed25519 AAAA…`, at least one; a server with another key is refused. */
  | { kind: 'key'; privateKey: string; hostKeys: string[] }

export type GitCommit = {
  commitSha: string
  branch: string
  message: string
  /** The author's name. */
  author: string
  /** When it was committed, ISO 8601 in UTC. */
  at: string
}

/** The same shape as an uploaded folder has. Entries that would lead out of it are left out. */
export type SourceTree = {
  entries: TreeEntry[]
  read(file: { path: string; sha256: string }): Promise<Readable>
}

export type TreeEntry =
  | { kind: 'file'; path: string; size: number; mode: number; sha256: string }
  | { kind: 'link'; path: string; target: string }

export type GitFailureCode =
  | 'git_source_invalid'
  | 'git_auth_failed'
  | 'git_host_key_refused'
  | 'git_repository_not_found'
  | 'git_branch_missing'
  | 'git_commit_missing'
  | 'git_address_refused'
  | 'git_unreachable'
  | 'git_timeout'
  | 'git_too_large'
  | 'git_failed'

/** Something expected that git could not do. Messages name the server, never a credential. */
export type GitFailure = DriverFailure<'git', GitFailureCode>

export const gitFailure = (code: GitFailureCode, message: string, cause?: unknown, hint = hints[code]): GitFailure =>
  new DriverFailure('git', code, message, { hint, cause })

const hints: Record<GitFailureCode, string> = {
  git_source_invalid: 'Use an address such as https://host/owner/repository.git or git@host:owner/repository.git.',
  git_auth_failed: 'Check that the token or deploy key is valid and may read this repository.',
  git_host_key_refused: "Compare the server's host key with the one its operator publishes, and confirm that one.",
  git_repository_not_found: 'Check the address; some servers say this, too, when the credential may not see it.',
  git_branch_missing: 'Check the spelling of the branch, or push it first.',
  git_commit_missing: 'The branch was rewritten since; deploy its newest commit.',
  git_address_refused:
    'Use a host with another address. Whoever runs this instance can open a network with SLIPWAY_ALLOWED_NETWORKS.',
  git_unreachable: 'Check the address, and that this server may reach it through its firewall.',
  git_timeout: 'Try again; if it stays slow, look at the git server and at the size of the repository.',
  git_too_large: 'Keep large files out of the repository, or raise the limit of this instance.',
  git_failed: 'Try again; if it stays, try the same address with git on this server.',
}
