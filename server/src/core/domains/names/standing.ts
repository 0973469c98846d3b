import type { Queryable } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import type { BaseParts } from '../../parts.ts'
import { ownersOf } from './check.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'dns'>
type Project = { id: string; orgId: string }

/** What is known of a name before it is claimed. */
export type Standing = {
  /** It is the project's already, or the domain name system says that it is this organization's. */
  proved: boolean
  /** Another organization that has it, and without such a record: the record wins over the claim. */
  unprovedHolder: string | null
}

/** Nothing was asked: a name that is new to everybody needs no proof. */
export const UNPROVED: Standing = { proved: false, unprovedHolder: null }
const PROVED: Standing = { proved: true, unprovedHolder: null }
const TXT_MS = 4000

/** Asked outside of the transaction, because it asks somebody else; and only where it matters. */
export async function standingOf(parts: Parts, project: Project, host: string, signal: AbortSignal): Promise<Standing> {
  const holder = await store.holderOf(parts.db, host)
  if (holder?.projectId === project.id) return PROVED
  const isAnothers = holder !== undefined && holder.orgId !== project.orgId
  const isWildcard = host.startsWith('*.')
  if (!isWildcard && !isAnothers && !(await isNearAnothers(parts.db, project.orgId, host))) return UNPROVED
  const owners = await ownersOf(parts, host, { signal, deadlineMs: TXT_MS })
  const proved = owners.includes(project.orgId)
  // Nobody takes all names below one that is another's.
  if (isWildcard && !proved) throw unprovedWildcard(host, project.orgId)
  const unprovedHolder = isAnothers && !owners.includes(holder.orgId) ? holder.orgId : null
  return { proved, unprovedHolder }
}

/**
 * Another organization has a name above this one that leads here, or has shown with a wildcard that it sets the records of
 * the names below or of those beside it. One that somebody has merely named, such as `co.uk`, stands in nobody's way.
 */
export const isNearAnothers = async (db: Queryable, orgId: string, host: string): Promise<boolean> =>
  (await store.isAnothers(db, orgId, [`*.${host}`, `*.${host.slice(host.indexOf('.') + 1)}`])) ||
  store.isAnothersHere(db, orgId, namesAbove(host))

/** `a.b.c.d`: `b.c.d` and `c.d`. A single label is nobody's. */
export function namesAbove(host: string): string[] {
  const labels = host.split('.')
  return labels.slice(1, -1).map((_, n) => labels.slice(n + 1).join('.'))
}

const unprovedWildcard = (host: string, orgId: string) =>
  new Refusal('dns_wrong', `Nothing says that the names below ${host.slice(2)} are yours.`, {
    field: 'host',
    hint: `Set TXT _slipway.${host.slice(2)} to ${orgId}, and try again.`,
  })
