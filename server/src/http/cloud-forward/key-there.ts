import { createHash } from 'node:crypto'
import type { Caller } from '../../core/access/caller.ts'
import { isKey } from '../idempotency.ts'

/**
 * The Idempotency-Key that the cloud gets to see. A key belongs to one credential, and there all of us come with that of the link: without
 * the caller's own in it, whoever happens on another's key would be shown that one's answer. What is no key is left for the cloud to refuse.
 */
export function keyThere({ credentialId }: Pick<Caller, 'credentialId'>, key: string): string {
  return isKey(key) ? createHash('sha256').update(`${credentialId}\n${key}`).digest('base64url') : key
}
