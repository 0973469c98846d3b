import type { BaseParts } from '../parts.ts'
import { placeOf } from './link-store.ts'

type Keys = BaseParts['keys']
type Opened = { sealed: string; credential: string }

/** Organizations whose credentials are at hand; one more, and the one that was opened first is opened again when it asks. */
const MOST = 100
const opened = new WeakMap<Keys, Map<string, Opened>>()

/**
 * The credential of an organization's link. Every call needs it, and opening it costs as much as a query: it is opened once. What is in the
 * database is asked for each time, so that another text, or none, counts at once and takes the place of what was known.
 */
export function openCredential(keys: Keys, orgId: string, sealed: string): string {
  const known = opened.get(keys) ?? new Map<string, Opened>()
  opened.set(keys, known)
  const last = known.get(orgId)
  if (last?.sealed === sealed) return last.credential
  known.delete(orgId)
  const credential = keys.open(sealed, placeOf(orgId))
  const [oldest] = known.keys()
  if (known.size >= MOST && oldest !== undefined) known.delete(oldest)
  known.set(orgId, { sealed, credential })
  return credential
}

/** The link has ended here. */
export const forgetCredential = (keys: Keys, orgId: string) => opened.get(keys)?.delete(orgId)
