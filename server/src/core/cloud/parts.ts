import type { Tx } from '../../db/database.ts'
import type { Caller } from '../access/caller.ts'
import type { Instance } from '../instance/guard.ts'
import type { BaseParts } from '../parts.ts'
import type { LinkChecks } from './link-checks.ts'

/** What linking needs. */
export type LinkParts = Pick<BaseParts, 'db' | 'keys' | 'config' | 'cloudDoor' | 'log'> & {
  instance: Instance
  linkChecks: LinkChecks
  /** Takes away, with the link, what other nouns have through it. */
  forgetLinked(tx: Tx, caller: Caller): Promise<void>
}

/** One that is passed on. `route`: the path of its endpoint; `headers`: those of the caller's that matter. */
export type Call = { method: string; route: string; path: string; headers: Record<string, string>; body: Buffer | null }
