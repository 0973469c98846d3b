import { LIMIT_KINDS, type Limit } from '@slipway/contract/limits'
import type { BaseParts } from '../parts.ts'
import { mostOf } from './most.ts'
import { count } from './store.ts'
import { LIMITS } from './table.ts'

/** Each limit of the organization with what it has, also where there is none. */
export async function listLimits(
  parts: Pick<BaseParts, 'db' | 'config'>,
  { orgId }: { orgId: string },
): Promise<{ limits: Limit[] }> {
  const shown = async (kind: Limit['kind']): Promise<Limit> => ({
    kind,
    most: await mostOf(parts, parts.db, orgId, kind),
    used: await count(parts.db, orgId, kind),
    unit: LIMITS[kind].unit,
    hint: LIMITS[kind].hint,
  })
  return { limits: await Promise.all(LIMIT_KINDS.map(shown)) }
}
