import type { Instance } from '../instance/guard.ts'
import type { BaseParts } from '../parts.ts'
import type { LinkChecks } from './link-checks.ts'

/** What linking needs. */
export type LinkParts = Pick<BaseParts, 'db' | 'keys' | 'config' | 'cloudDoor' | 'log'> & {
  instance: Instance
  linkChecks: LinkChecks
}
