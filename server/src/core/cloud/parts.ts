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
