import type { Ended, Limits } from './run.ts'
import type { Trust } from './trust.ts'

export type GitOptions = {
  /** Passed on to git: proxies, another PATH. Nothing else of our own environment is. */
  environment?: Record<string, string>
  trust?: Trust
  resolveDeadlineMs?: number
  fetchDeadlineMs?: number
  /** What is fetched, compressed; and what the files of a commit may be together, and how many. */
  maxPackBytes?: number
  maxTreeBytes?: number
  maxFiles?: number
  /** For tests alone: a token would cross the network in the clear. */
  allowHttp?: boolean
}

export type Settings = Required<Omit<GitOptions, 'trust'>>

/** One call of git to the source's server; resolves when it ended well, fails in words otherwise. */
export type Remote = (args: (url: string) => string[], limits: Limits) => Promise<Ended>
