import type { MayConnect } from '../ssh/lookup.ts'
import type { Lookup } from './reach.ts'
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
  /** Asked with the resolved address: git connects to what passed, and to nothing else. Without it, anywhere. */
  mayConnect?: MayConnect
  /** How names are looked up; without it as the machine does. */
  lookup?: Lookup
  /** Where strangers share an instance: why a host was not reached is not told, so that nobody learns what listens where. */
  terse?: boolean
  /** For tests alone: a token would cross the network in the clear. */
  allowHttp?: boolean
}

export type Settings = Required<Omit<GitOptions, 'trust' | 'mayConnect' | 'lookup'>> &
  Pick<GitOptions, 'mayConnect' | 'lookup'>

/** One call of git to the source's server; resolves when it ended well, fails in words otherwise. */
export type Remote = (args: (url: string) => string[], limits: Limits) => Promise<Ended>
