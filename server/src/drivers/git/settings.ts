import type { Ended, Limits } from './run.ts'

export type GitOptions = {
  /** Passed on to git: proxies, GIT_SSL_CAINFO, another PATH. Nothing else of our own environment is. */
  environment?: Record<string, string>
  resolveDeadlineMs?: number
  fetchDeadlineMs?: number
  /** What is fetched, compressed; and what the files of a commit may be together, and how many. */
  maxPackBytes?: number
  maxTreeBytes?: number
  maxFiles?: number
  /** For tests alone: a token would cross the network in the clear. */
  allowHttp?: boolean
}

export type Settings = Required<GitOptions>

/** One call of git to the source's server; resolves when it ended well, fails in words otherwise. */
export type Remote = (args: (url: string) => string[], limits: Limits) => Promise<Ended>
